import type { OperationId } from "../../../generated/contract.ts";
import { csvRows } from "../../books/csv.ts";
import type { Aspect, Point } from "./point.ts";
import { unshownWords } from "./words.ts";

/** A lawful change of an export: of its rows, the header among them, or of its text. */
interface Variant {
  aspect: Aspect;
  at: string;
  by?: string;
  rows?: (rows: string[][]) => string[][];
  text?: (csv: string) => string;
}

const pointOf = (operation: OperationId, way: string, { aspect, at, by, rows, text }: Variant): Point => ({
  id: `${operation} ${way}`,
  way,
  permittedBy: by ?? unshownWords(operation)!,
  aspect,
  operation,
  at: `rows ${at}`,
  body: (body, { status }) => {
    if (status !== 200) return body;
    const changed = rows === undefined ? body : written(rows(csvRows(body)));
    return text?.(changed) ?? changed;
  },
});

const quoted = 'RFC 4180, 2: "Each field may or may not be enclosed in double quotes"';

const variants: Record<string, Variant> = {
  "with its columns in another order": {
    aspect: "rows",
    at: "columns",
    rows: (rows) => rows.map((row) => row.toReversed()),
  },
  "with a column that numbers the rows": {
    aspect: "rows",
    at: "further column",
    rows: ([header, ...rows]) => [
      ["no", ...header!],
      ...rows.map((row, index) => [String(index + 1), ...row]),
    ],
  },
  "with an empty column": {
    aspect: "rows",
    at: "further column",
    rows: (rows) => rows.map((row, index) => [...row, index === 0 ? "remarks" : ""]),
  },
  "with a header for people": {
    aspect: "rows",
    at: "header",
    rows: ([header, ...rows]) => [
      header!.map((name) => name.replaceAll("_", " ").replace(/^./, (letter) => letter.toUpperCase())),
      ...rows,
    ],
  },
  "without a header": { aspect: "rows", at: "header", rows: ([, ...rows]) => rows },
  "with every cell quoted": {
    aspect: "text",
    at: "cells",
    by: quoted,
    text: (csv) => written(csvRows(csv), () => true),
  },
  "without a line break at its end": {
    aspect: "text",
    at: "end",
    by: 'RFC 4180, 2: "The last record in the file may or may not have an ending line break."',
    text: (csv) => csv.replace(/\r?\n$/, ""),
  },
  "with a byte order mark": { aspect: "text", at: "start", text: (csv) => `\uFEFF${csv}` },
};

const written = (
  rows: readonly string[][],
  isQuoted = (cell: string): boolean => /[",\r\n]/.test(cell),
): string =>
  rows
    .map(
      (row) =>
        row.map((cell) => (isQuoted(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(",") + "\r\n",
    )
    .join("");

/** Each export in each other form. */
export const exportPoints: readonly Point[] = (["exportUsage", "exportLedger"] as const).flatMap(
  (operation) => Object.entries(variants).map(([way, variant]) => pointOf(operation, way, variant)),
);
