import type { ClauseId } from "../../generated/clauses.ts";
import type { List } from "../books/listed.ts";
import { isA } from "../judge/expect.ts";
import { momentOf } from "../judge/instant.ts";
import { ledgerEntriesOf, listData, usageEventsOf, type Row } from "../judge/rows.ts";
import { holds, rule, type Rule } from "../judge/rule.ts";
import type { Seen } from "../judge/seen.ts";

/** A promise of a list: its clause, and its words there. */
type Promised = readonly [clause: ClauseId, title: string];

/** The rows of a list's answer. */
const rowsIn = (seen: Seen, list: List): readonly Row[] =>
  listData(seen, list) === null ? [] : (list === "listUsage" ? usageEventsOf : ledgerEntriesOf)(seen);

/** What every answer of a list promises of its page. */
export const pageRules = (
  list: List,
  { asked, once, order, size }: Record<"asked" | "once" | "order" | "size", Promised>,
): Rule[] => [
  rule(...asked, (seen) => {
    const data = listData(seen, list);
    const page = Number(seen.query.get("page") ?? 1);
    return data === null ? null : holds(data["page"] === page, `page ${page}`, data["page"]);
  }),
  rule(...once, (seen) => {
    const rows = rowsIn(seen, list);
    if (rows.length < 2) return null;
    // Rows without an id are not duplicates.
    const ids = rows.flatMap(({ id }) => (id === undefined ? [] : [id]));
    if (new Set(ids).size === ids.length) return true;
    const twice = ids.find((id, index) => ids.indexOf(id) !== index);
    return holds(false, "each id once", twice);
  }),
  rule(...order, (seen) => {
    const rows = rowsIn(seen, list);
    const times = rows.map((row) => momentOf(row["created_at"]));
    if (times.length < 2 || times.includes(undefined)) return null;
    const late = times.findIndex((time, index) => index > 0 && time! > times[index - 1]!);
    return holds(late === -1, "each created_at no later than the one before", rows[late]);
  }),
  rule(...size, (seen) => {
    const data = listData(seen, list);
    if (data === null || data.items.length === 0 || !isA(data["page_size"], "integer")) return null;
    const most = Number(data["page_size"]);
    return holds(data.items.length <= most, `at most page_size (${most}) items`, data.items.length);
  }),
];
