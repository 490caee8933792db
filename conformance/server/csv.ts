/** The rows without a final row of totals. */
export const withoutTotals = (rows: readonly string[][]): string[][] =>
  rows.slice(0, rows.at(-1)?.some((cell) => /^(grand )?totals?:?$/i.test(cell.trim())) ? -1 : undefined);

/**
 * The rows of a CSV text (RFC 4180; lines may end in a bare LF, a byte order mark is skipped). Blank lines are not
 * rows, nor is a first line that tells spreadsheets the separator.
 */
export function csvRows(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let quoted = false;
  const endRow = (): void => {
    row.push(cell);
    if (row.length > 1 || cell !== "") rows.push(row);
    row = [];
    cell = "";
  };
  const source = text.replace(/^\uFEFF?(sep=.\r?\n)?/i, "");
  for (let at = 0; at < source.length; at += 1) {
    const character = source[at]!;
    if (quoted) {
      if (character !== '"') cell += character;
      else if (source[at + 1] === '"') cell += source[(at += 1)]!;
      else quoted = false;
    } else if (character === '"' && cell === "") quoted = true;
    else if (character === ",") {
      row.push(cell);
      cell = "";
    } else if (character === "\n") endRow();
    else if (character !== "\r" || source[at + 1] !== "\n") cell += character;
  }
  if (cell !== "" || row.length > 0) endRow();
  return rows;
}
