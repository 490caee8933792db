import { oddities, type OddWay } from "../../../reference-server/chaos/odd.ts";
import { onAnswers, variation, variationsOf, type Variation } from "../../changes/mutant.ts";
import { inForm } from "../../changes/odd-form.ts";

/** Lawful differences in the time of answers, in the lines of exports, and in the form of JSON. */
export const formVariations: readonly Variation[] = [
  ...variationsOf({
    "the contract names no time for an answer": {
      "answers 40 ms later": {
        wire: (_, answer) => new Promise((resolve) => setTimeout(() => resolve(answer), 40)),
      },
      "answers requests out of order": {
        wire: (request, answer) =>
          new Promise((resolve) => setTimeout(() => resolve(answer), (request.path.length * 7) % 23)),
      },
    },
    "Columns of the CSV exports: not shown; text/csv": {
      "ends CSV lines with a bare LF and quotes every cell": onAnswers(
        (_, answer) => (answer.headers["content-type"] ?? "").startsWith("text/csv"),
        (answer) => ({ ...answer, body: quotedCsv(answer.body) }),
      ),
    },
  }),
  ...(Object.keys(oddities) as OddWay[]).map((way) =>
    variation(`answers oddly: ${way}`, oddities[way].permittedBy, inForm(way)),
  ),
];

function quotedCsv(text: string): string {
  const rows = text.split("\r\n").filter((row) => row !== "");
  const cells = (row: string): string[] => row.match(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)?.slice(0, -1) ?? [];
  return rows
    .map((row) =>
      cells(`${row},`)
        .map((cell) => cell.replace(/,$/, ""))
        .map((cell) => (cell.startsWith('"') ? cell : `"${cell}"`))
        .join(","),
    )
    .join("\n");
}
