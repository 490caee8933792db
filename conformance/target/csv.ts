/**
 * The rows of a CSV text (RFC 4180, lines ending in LF or CRLF), each a list of cells; empty lines are left out. A
 * byte order mark is skipped.
 */
export function csvRows(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let quoted = false;
  const endRow = (): void => {
    row.push(cell);
    if (row.length > 1 || row[0] !== "") rows.push(row);
    row = [];
    cell = "";
  };
  const body = text.startsWith("\uFEFF") ? text.slice(1) : text;
  for (let index = 0; index < body.length; index += 1) {
    const character = body[index]!;
    if (quoted) {
      if (character !== '"') cell += character;
      else if (body[index + 1] === '"') {
        cell += '"';
        index += 1;
      } else quoted = false;
    } else if (character === '"' && cell === "") quoted = true;
    else if (character === ",") {
      row.push(cell);
      cell = "";
    } else if (character === "\n") endRow();
    else if (character !== "\r" || body[index + 1] !== "\n") cell += character;
  }
  endRow();
  return rows;
}
