/** The rows without a final row of totals. */
export const withoutTotals = (rows: readonly string[][]): string[][] =>
  rows.slice(0, rows.at(-1)?.some((cell) => /^(grand )?totals?:?$/i.test(cell.trim())) ? -1 : undefined);

/**
 * The rows of a CSV text (RFC 4180; lines may end in a bare LF, a byte order mark is skipped). Blank lines are not
 * rows; neither is a first line that names the separator for spreadsheets.
 */
export function csvRows(text: string): string[][] {
  const source = text.replace(/^\uFEFF?(sep=.\r?\n)?/i, "");
  const rows: string[][] = [];
  let row: string[] = [];
  for (let at = 0; at < source.length;) {
    const [cell, end] = source[at] === '"' ? quotedAt(source, at) : plainAt(source, at);
    row.push(cell);
    at = end + 1;
    if (source[end] === ",") {
      // The text after the last comma is a cell too.
      if (at === source.length) row.push("");
      else continue;
    } else if (source[end] === "\r") at += 1;
    if (row.length > 1 || row[0] !== "") rows.push(row);
    row = [];
  }
  if (row.length > 0) rows.push(row);
  return rows;
}

/** The cell that begins at an offset, and the offset of its end: a comma, a line break, or the end of the text. */
type Cell = [cell: string, end: number];

/** Cells are found by their ends and copied as a whole: character by character would cost ten times as much. */
function plainAt(source: string, from: number): Cell {
  const ends = /,|\r?\n/g;
  ends.lastIndex = from;
  const end = ends.exec(source)?.index ?? source.length;
  return [source.slice(from, end), end];
}

function quotedAt(source: string, from: number): Cell {
  let cell = "";
  let begin = from + 1;
  for (;;) {
    const quote = source.indexOf('"', begin);
    if (quote < 0) return [cell + source.slice(begin), source.length];
    cell += source.slice(begin, quote);
    if (source[quote + 1] !== '"') {
      // Text after the closing quote belongs to the cell unchanged.
      const [rest, end] = plainAt(source, quote + 1);
      return [cell + rest, end];
    }
    cell += '"';
    begin = quote + 2;
  }
}
