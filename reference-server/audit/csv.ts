/** The value of a cell. Objects and arrays become JSON text, null and undefined an empty cell. */
type Cell = unknown;

/**
 * Text that spreadsheets take for the start of a formula, even after blanks and invisible characters, and text that
 * looks like it: by compatibility, or as one of Unicode's confusables.
 */
const formula =
  /^(?:[\s\p{C}\p{M}\p{Default_Ignorable_Code_Point}\u2800]*[=+\-@＝＋－＠﹦﹢﹣﹫⁺₊⁼₌⩵᐀⹀゠꓿꞊᛭➕𐊛\u2010-\u2015\u2212\u207b\u208b﹘۔⁃˗➖Ⲻ]|[\t\r])/u;
/** `;` separates cells where the comma is a decimal sign. */
const special = /[",;\t\r\n]/;

/** A number as a plain decimal, without an exponent. */
function decimal(value: number): string {
  const text = String(value);
  if (!text.includes("e")) return text;
  return value.toFixed(20).replace(/\.?0+$/, "");
}

const quote = (text: string): string => (special.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

function cellText(cell: Cell): string {
  if (cell === null || cell === undefined) return "";
  if (typeof cell === "number") return decimal(cell);
  const text = typeof cell === "string" ? cell : JSON.stringify(cell);
  return quote(formula.test(text) ? `'${text}` : text);
}

/** One record of RFC 4180, with its CRLF. Text that a spreadsheet would take for a formula is prefixed with `'`. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(cellText).join(",")}\r\n`;

/** Streams a CSV file: the header from `columns`, then a line for each record. Empties each page. */
export async function* csvStream<Column extends string>(
  columns: readonly Column[],
  pages: AsyncIterable<Readonly<Partial<Record<Column, Cell>>>[]>,
): AsyncGenerator<string, void, undefined> {
  yield csvLine(columns);
  const line = (record: Readonly<Partial<Record<Column, Cell>>>): string =>
    csvLine(columns.map((column) => record[column]));
  for await (const page of pages) yield page.splice(0).map(line).join("");
}
