import { dataOf, has, observe, type Observer } from "../../judge/observer.ts";

export const observers: readonly Observer[] = [
  observe("R-086", "listUsageFeed", (seen) => {
    const data = dataOf(seen);
    if (data === undefined) return null;
    return has(data, "items", "next_cursor", "has_more", "page_size") ? "reference" : "other";
  }),
];
