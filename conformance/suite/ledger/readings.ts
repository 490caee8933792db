import { largestSample } from "../../../generated/contract.ts";
import { dataOf, observe, rowsOf, type Observer } from "../../judge/observer.ts";
import { memberOf } from "../../judge/seen.ts";

export const observers: readonly Observer[] = [
  observe("R-089", "listLedger", (seen) => {
    const limit = Number(seen.query.get("limit"));
    const size = memberOf(dataOf(seen), "page_size");
    if (!(limit > 0 && limit <= largestSample) || seen.query.has("page_size") || typeof size !== "number")
      return null;
    return size === limit ? "both_lists" : "usage_only";
  }),
  observe("R-107", "listLedger", (seen) =>
    rowsOf(seen).some((entry) => entry["entry_type"] === "grant_welcome_bonus") ? "reference" : null,
  ),
  observe("R-109", "listLedger", (seen) => {
    const [entry] = rowsOf(seen);
    if (entry === undefined) return null;
    return typeof entry["id"] === "number" ? "number" : typeof entry["id"] === "string" ? "text" : null;
  }),
  observe("R-166", "listLedger", (seen) => {
    const amount = rowsOf(seen)[0]?.["amount_credits"];
    return typeof amount === "number" ? "number" : typeof amount === "string" ? "text" : null;
  }),
];
