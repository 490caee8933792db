import type { ClauseId } from "../../../generated/clauses.ts";
import { csvRows } from "../../subject/csv.ts";
import { holds, rule, type Rule } from "../../judge/rule.ts";

/** The rules of a CSV export: its content type, its rows, and the number of cells per row. */
export const exportRules = (
  operation: "exportUsage" | "exportLedger",
  { type, rows, cells }: Record<"type" | "rows" | "cells", ClauseId>,
): readonly Rule[] =>
  [
    rule(type, "the export is text/csv", (seen) => {
      if (seen.operation !== operation || seen.status !== 200) return null;
      const found = seen.headers["content-type"] ?? "no content type";
      return holds(/^text\/csv\b/i.test(found), "content type text/csv", found);
    }),
    rule(rows, "no row of the export is without a value", (seen) => {
      if (seen.operation !== operation || seen.status !== 200) return null;
      const empty = csvRows(seen.exchange.response!.body).filter((row) => row.every((cell) => cell === ""));
      return holds(empty.length === 0, "a value in every row", `${empty.length} rows without any`);
    }),
    rule(cells, "every row of the export has as many cells as the first", (seen) => {
      if (seen.operation !== operation || seen.status !== 200) return null;
      const rows = csvRows(seen.exchange.response!.body);
      const odd = rows.find((row) => row.length !== rows[0]!.length);
      return holds(odd === undefined, `${rows[0]?.length} cells in every row`, odd);
    }),
  ].map((one) => ({ operations: [operation], statuses: [200], ...one }));

/** The CSV export of usage events. */
export const rules = exportRules("exportUsage", { type: "UEXP-01", rows: "UEXP-02", cells: "UEXP-07" });
