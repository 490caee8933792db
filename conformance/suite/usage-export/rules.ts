import { csvRows } from "../../subject/csv.ts";
import { holds, about, rule, type Rule } from "../../judge/rule.ts";

/** The CSV exports. */
export const rules: readonly Rule[] = about(
  ["exportUsage"],
  [
    rule("UEXP-01", "the usage export is text/csv, with the same number of cells in every row", (seen) => {
      if (seen.operation !== "exportUsage" || seen.status !== 200) return null;
      const type = seen.headers["content-type"] ?? "no content type";
      if (!/^text\/csv\b/i.test(type)) return { expected: "content type text/csv", received: type };
      const rows = csvRows(seen.exchange.response!.body);
      const odd = rows.find((row) => row.length !== rows[0]!.length);
      return holds(odd === undefined, `${rows[0]?.length} cells in every row`, odd);
    }),
  ],
);
