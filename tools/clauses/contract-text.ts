/** The position of a quote in the contract: its lines, counted from 1; or why it was not found. */
export type Found = { lines: readonly number[] } | { problem: string };

interface Folded {
  text: string;
  /** The line of each character of `text`. */
  lines: number[];
}

/** The contract text for finding quotes: each run of whitespace becomes one space. */
export class ContractText {
  readonly lines: readonly string[];
  private readonly folded: Folded;

  constructor(contract: string) {
    this.lines = contract.split("\n");
    this.folded = folded(contract);
  }

  /**
   * Finds a quote. `…` marks an omission: the part before it must occur exactly once, as a heading does, and the search
   * for the part after it continues from there.
   */
  find(quote: string): Found {
    const [first = "", ...rest] = quote.split("…").map((part) => fold(part));
    const start = this.folded.text.indexOf(first);
    if (first === "" || start < 0) return { problem: `"${quote}" is not in spec/contract.md` };
    if (this.folded.text.includes(first, start + 1))
      return {
        problem: `"${quote}" is in spec/contract.md more than once; quote more, or begin with its heading, as "## Limits … ${first}"`,
      };
    const lines = new Set(this.linesOf(start, first.length));
    let end = start + first.length;
    for (const part of rest) {
      const at = this.folded.text.indexOf(part, end);
      if (part === "" || at < 0) return { problem: `"${part}" is not in spec/contract.md after "${first}"` };
      for (const line of this.linesOf(at, part.length)) lines.add(line);
      end = at + part.length;
    }
    return { lines: [...lines] };
  }

  /** The heading above a line, without its marks; empty above the first. */
  headingOf(line: number): string {
    const above = this.lines.slice(0, line).findLast((text) => text.startsWith("#"));
    return above?.replace(/^#+\s*/, "") ?? "";
  }

  /** The lines with content: all except blank lines, headings, and the headers and separators of tables. */
  get tellingLines(): { number: number; text: string }[] {
    const isSeparator = (line: string | undefined): boolean => /^\|[\s|:-]+\|$/.test(line ?? "");
    return this.lines.flatMap((text, index) => {
      const skipped =
        text.trim() === "" || text.startsWith("#") || isSeparator(text) || isSeparator(this.lines[index + 1]);
      return skipped ? [] : [{ number: index + 1, text }];
    });
  }

  private linesOf(start: number, length: number): number[] {
    return [...new Set(this.folded.lines.slice(start, start + length))];
  }
}

const fold = (text: string): string => text.replace(/\s+/g, " ").trim();

function folded(contract: string): Folded {
  let text = "";
  const lines: number[] = [];
  let line = 1;
  for (const character of contract) {
    const blank = /\s/.test(character);
    if (!blank || !text.endsWith(" ")) {
      text += blank ? " " : character;
      for (let unit = 0; unit < character.length; unit += 1) lines.push(line);
    }
    if (character === "\n") line += 1;
  }
  return { text, lines };
}
