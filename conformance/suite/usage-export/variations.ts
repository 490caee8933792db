import type { OperationId } from "../../../generated/contract.ts";
import { csvRows } from "../../books/csv.ts";
import { onAnswers, onHeaders, variationsOf, type Change } from "../../changes/mutant.ts";

const exports: readonly OperationId[] = ["exportUsage", "exportLedger"];
const columns = "Columns of the CSV exports: not shown.";

const cell = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Changes the rows of both exports, the header among them. */
const onRows = (change: (rows: string[][]) => string[][]): Change =>
  onAnswers(
    ({ operation }, { status }) => status === 200 && exports.includes(operation!),
    (answer) => ({
      ...answer,
      body: change(csvRows(answer.body))
        .map((row) => `${row.map(cell).join(",")}\r\n`)
        .join(""),
    }),
  );

/** Lawful exports that the reference server does not give. */
export const variations = variationsOf({
  [columns]: {
    "exports without a header": onRows(([, ...rows]) => rows),
    "exports the oldest row first": onRows(([header, ...rows]) => [header!, ...rows.reverse()]),
    "exports with a byte order mark": onAnswers(
      ({ operation }, { status }) => status === 200 && exports.includes(operation!),
      (answer) => ({ ...answer, body: `\uFEFF${answer.body}` }),
    ),
    "exports rows without ids": onRows(([header = [], ...rows]) => {
      const kept = header.map((name) => !/(^|_)id$/.test(name));
      return [header, ...rows].map((row) => row.filter((_, index) => kept[index]));
    }),
    "exports only columns that may be empty": onRows(([header = [], ...rows]) => {
      const kept = header.map((name) => ["session_id", "model", "description"].includes(name));
      return [header, ...rows].map((row) => row.filter((_, index) => kept[index]));
    }),
    "states the cell separator in the first line of its exports": onAnswers(
      ({ operation }, { status }) => status === 200 && exports.includes(operation!),
      (answer) => ({ ...answer, body: `sep=,\r\n${answer.body}` }),
    ),
    "ends its exports with a two-cell total row": onRows((rows) => [
      ...rows,
      ["Total", String(rows.length - 1)],
    ]),
  },
  "CSV export (`text/csv`)": {
    "adds parameters to the Content-Type of its exports": onHeaders(
      ({ operation }, { status }) => status === 200 && exports.includes(operation!),
      {
        "content-type": "text/csv; header=present; charset=UTF-8",
      },
    ),
  },
});
