import {
  asOwnerOf,
  cursorsOfOwners,
  dataOf,
  itemsOf,
  onAny,
  skippingTies,
} from "../../changes/audit-query.ts";
import { mutantsOf, onPath, type Body, type Change } from "../../changes/mutant.ts";
import { byCredential, joiningAccounts } from "../usage/row-changes.ts";

const id = "listUsageFeed";

/** Uses an offset as the cursor; `place` derives from it where a page starts. */
const byOffset = (place: (offset: number | undefined, count: number, size: number) => number): Change =>
  onAny(id, (operation) => async (request, context) => {
    const { cursor, page_size: size, ...query } = request.query as { cursor?: string; page_size: number };
    const answer = await operation({ ...request, query: { ...query, page_size: 500 } }, context);
    if (answer.status !== 200) return answer;
    const all = itemsOf(dataOf(answer));
    const from = place(cursor === undefined ? undefined : Number(cursor), all.length, size);
    const more = from + size < all.length;
    Object.assign(dataOf(answer), {
      items: all.slice(from, from + size),
      next_cursor: more ? String(from + size) : null,
      has_more: more,
    });
    return answer;
  });

/** New items count as read, so the page starts too late by their number. */
const fromTheEnd = byOffset((offset, count, size) =>
  offset === undefined ? 0 : offset + (count - offset > size ? 1 : 0),
);

export const mutants = mutantsOf({
  "UFED-02": {
    "skips events with the same timestamp as the last one on a page": skippingTies(id),
    "shows no cursor in the feed, and takes none": onPath(id, "data", (data) => ({
      items: (data as Body)["items"],
    })),
    "answers with a note where the feed has its list": onPath(id, "data", () => ({
      note: "see the history",
    })),
    "shows of each event in the feed only that there is one": onPath(id, "data.items.*", () => ({
      used: true,
    })),
  },
  "UFED-03": {
    "counts the cursor from the newest event": byOffset((offset = 0) => offset),
    "counts the cursor from the newest event and skips one": fromTheEnd,
  },
  "UFED-07": {
    "shows the events of every account in the feed": joiningAccounts(id),
    "shows other accounts' events in the feed by api_key_id": asOwnerOf(id, "api_key_id", "api_key_id"),
    "shows other accounts' events in the feed by credential_type": joiningAccounts(id, byCredential),
    "continues as the account that a cursor was issued to": cursorsOfOwners(id),
  },
});
