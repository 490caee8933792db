import {
  accepting,
  asOwnerOf,
  cursorsOfOwners,
  dataOf,
  forgettingBeside,
  forgettingOnPages,
  itemsOf,
  onAny,
  onData,
  refusing,
  skippingTies,
  taking,
} from "../../changes/audit-query.ts";
import { mutant, mutantsOf, onPath, type Body, type Change } from "../../changes/mutant.ts";
import {
  byCredential,
  classMutants,
  dateMutants,
  idMutants,
  joiningAccounts,
  leastAlone,
  serving,
} from "../usage/row-changes.ts";

const id = "listUsageFeed";

/** Makes the cursor skip or repeat some items. */
const cursorOff = (by: number): Change =>
  onData(id, async (data, { query, ask }) => {
    const size = Number(query["page_size"]) + by;
    if (size < 1 || data["has_more"] !== true) return;
    const other = await ask({ ...query, page_size: size });
    if (other["has_more"] === true) data["next_cursor"] = other["next_cursor"];
  });

/** Uses as the cursor an offset, from which `place` tells where a page starts. */
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

const empty = { items: [], next_cursor: null, has_more: false, page_size: 1 };

export const mutants = [
  ...mutantsOf({
    "UFED-01": {
      "returns one event more than page_size": taking(id, "page_size", (size) => Number(size) + 1),
    },
    "UFED-02": {
      "begins each page with the last event of the one before": cursorOff(-1),
      "skips an event between two pages": cursorOff(1),
      "skips events of the moment at which a page ends": skippingTies(id),
      "ends after the first page": onData(id, (data) =>
        Object.assign(data, { next_cursor: null, has_more: false }),
      ),
      "feeds no capability query": onPath(id, "data.items", (items) =>
        (items as Body[]).filter((item) => item["event_type"] !== "capabilities_query"),
      ),
    },
    "UFED-03": {
      "counts the cursor from the newest event on": byOffset((offset = 0) => offset),
      "counts the cursor from the newest event on, and skips one": fromTheEnd,
    },
    "UFED-04": {
      "returns all events unless told": taking(id, "page_size", (size) => (size === 100 ? 500 : size)),
    },
    "UFED-05": {
      "refuses a page_size of 500": refusing(id, (query) => query.get("page_size") === "500", 422),
      "refuses a page_size of 1": refusing(id, (query) => query.get("page_size") === "1", 422),
    },
    "UFED-06": { "takes any page_size": accepting(id, "page_size", empty) },
    "UFED-07": {
      "feeds the events of every account": joiningAccounts(id),
      "feeds everybody's events of a key": asOwnerOf(id, "api_key_id", "api_key_id"),
      "feeds everybody's events of a credential type": joiningAccounts(id, byCredential),
      "goes on as the account that a cursor was given to": cursorsOfOwners(id),
    },
    "UFED-08": { "forgets its dates after the first page": forgettingOnPages(id, "start_date", "end_date") },
    "UFED-09": {
      "takes a value that it does not know for none": serving(id),
      "forgets end_date beside an event_type": forgettingBeside(id, "end_date", "event_type"),
    },
    "UFED-10": {
      "forgets the credits after the first page": forgettingOnPages(id, "min_credits", "max_credits"),
      "takes a least amount above the greatest for the least alone": leastAlone(id),
    },
  }),
  ...dateMutants("UFED-08", id),
  ...classMutants("UFED-09", id),
  ...["event_type", "kind", "success", "charge_outcome", "reason_code"].map((name) =>
    mutant("UFED-09", `forgets ${name} after the first page`, forgettingOnPages(id, name)),
  ),
  ...idMutants("UFED-10", id),
];
