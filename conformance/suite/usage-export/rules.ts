import type { ClauseId } from "../../../generated/clauses.ts";
import { csvRows } from "../../books/csv.ts";
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
    // A single row may be empty: "Columns of the CSV exports: not shown", and those of a server may all be optional.
    rule(rows, "the rows of the export are not empty", (seen) => {
      if (seen.operation !== operation || seen.status !== 200) return null;
      const rows = csvRows(seen.exchange.response!.body);
      const isEmpty = rows.length > 0 && rows.flat().every((cell) => cell === "");
      return holds(!isEmpty, "a cell with a value", `${rows.length} rows of empty cells`);
    }),
    rule(cells, "every row of the export has as many cells as the first", (seen) => {
      if (seen.operation !== operation || seen.status !== 200) return null;
      const rows = csvRows(seen.exchange.response!.body);
      const odd = rows.find((row) => row.length !== rows[0]!.length);
      return holds(odd === undefined, `${rows[0]?.length} cells in every row`, odd);
    }),
  ].map((rule) => ({ operations: [operation], statuses: [200], ...rule }));

/** The CSV export of usage events. */
export const rules = exportRules("exportUsage", { type: "UEXP-01", rows: "UEXP-02", cells: "UEXP-07" });
