import { format } from "prettier";
import { quoteProblems } from "./check-clauses.ts";
import { ContractText } from "./clauses/contract-text.ts";
import { asFacts } from "./contract/facts.ts";
import { listOf, type Clause, type Written } from "./clauses/read.ts";

/**
 * The clauses as a TypeScript module: the data and their ids.
 * @throws Error with every quote that is not in the contract
 */
export function clausesModule(written: Written): Promise<string> {
  const unquoted = quoteProblems(written);
  if (unquoted.length > 0) throw new Error(unquoted.join("\n"));
  const { areas, contract } = written;
  const text = new ContractText(contract);
  const rows = areas.flatMap(({ value: { area, clauses } }) =>
    clauses
      .filter(({ until }) => until === undefined)
      .map(({ editorial: _editorial, ...clause }) =>
        JSON.stringify({ area, ...clause, ...sourceOf(text, clause) }),
      ),
  );
  const titles = areas.map(({ value: { area, title } }) => [area, title] as const);
  const ids = areas.flatMap(({ value }) => value.clauses.map(({ id }) => JSON.stringify(id)));
  return format(
    asFacts(`import { fact } from "../base/pinned.ts";
import type { Need, OperationId } from "./contract.ts";
import type { ReadingId } from "./readings.ts";

/** The ids of all clauses, in force or ended. */
export const clauseIds = [${ids.join(", ")}] as const;
export type ClauseId = (typeof clauseIds)[number];

/** The name of an area of the contract, one for each file of spec/clauses. */
export type ClauseArea = ${titles.map(([area]) => JSON.stringify(area)).join(" | ")};

/** One obligation of the contract. */
export interface Clause {
  readonly area: ClauseArea;
  readonly id: ClauseId;
  readonly level: "must" | "should";
  /** Set on the obligations of a client; the others bind the server. */
  readonly party?: "client";
  readonly text: string;
  /** The first version of the contract that has it; the first of all unless given. */
  readonly since?: string;
  /** The words of the contract that it rests on. */
  readonly quote: readonly string[];
  /** The headings that these words stand under. */
  readonly source: string;
  /** The line of spec/contract.md of the first of them. */
  readonly line: number;
  /** The quote says it, or implies it, or one reading of an open question says it. */
  readonly basis: "stated" | "implied" | "reading";
  /** Why the quote implies it. */
  readonly because?: string;
  /** Why words that state it oblige to no more than a should. */
  readonly why_should?: string;
  /** The open question of which it is one reading. */
  readonly reading?: ReadingId;
  readonly operation?: OperationId | "all" | readonly (OperationId | "all")[];
  /** The schema that the clause is about, where it is about no operation. */
  readonly resource?: string;
  /** How the clause can be seen from outside. */
  readonly seen: "blackbox" | { readonly needs: readonly Need[] } | { readonly not_observable: string };
}

/** The title of each area. */
export const areaTitles: Readonly<Record<ClauseArea, string>> = ${JSON.stringify(Object.fromEntries(titles))};

/** Every clause in force, by area and number. */
export const clauses = [
${rows.join(",\n")},
] as const satisfies readonly Clause[];
`),
    { parser: "typescript", printWidth: 160 },
  );
}

/** The quotes of a clause as a list, and their places. */
function sourceOf(
  contract: ContractText,
  { quote }: Clause,
): { quote: string[]; source: string; line: number } {
  const quotes = listOf(quote);
  const lines = quotes.flatMap((quote) => {
    const found = contract.find(quote);
    return "lines" in found ? [found.lines.at(-1)!] : [];
  });
  const headings = new Set(lines.map((line) => contract.headingOf(line)));
  return { quote: quotes, source: [...headings].join("; "), line: lines[0] ?? 1 };
}
