import { csvRows } from "../../target/csv.ts";
import { holds, rule, type Rule } from "../rule.ts";

/** The CSV exports. */
export const exportsFields: Rule[] = [
  rule("UEXP-01", "the usage export is text/csv, with the same number of cells in every row", (seen) => {
    if (seen.operation !== "exportUsage" || seen.status !== 200) return null;
    const type = seen.headers["content-type"] ?? "no content type";
    if (!/^text\/csv\b/i.test(type)) return { expected: "content type text/csv", received: type };
    const rows = csvRows(seen.exchange.response!.body);
    const odd = rows.find((row) => row.length !== rows[0]!.length);
    return holds(odd === undefined, `${rows[0]?.length} cells in every row`, odd);
  }),
];
