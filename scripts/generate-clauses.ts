import { readClauseFiles } from "./check-clauses.ts";

/**
 * The clauses as a TypeScript module: the data, their ids as a type, and a lookup by id.
 *
 * @returns the module's text, without imports
 */
export async function clausesModule(): Promise<string> {
  const areas = await readClauseFiles();
  const clauses = areas.flatMap(({ area, clauses }) => clauses.map((clause) => ({ area, ...clause })));
  const ids = clauses.map(({ id }) => `\n  | ${JSON.stringify(id)}`).join("") || " never";
  const names = areas.map(({ area }) => `\n  | ${JSON.stringify(area)}`).join("") || " never";
  const titles = areas
    .map(({ area, title }) => `\n  ${JSON.stringify(area)}: ${JSON.stringify(title)},`)
    .join("");
  const rows = clauses.map((clause) => `\n  ${JSON.stringify(clause)},`).join("");
  return `/** The id of a clause of the contract. */
export type ClauseId =${ids};

/** The name of an area of the contract, one for each file of spec/clauses. */
export type ClauseArea =${names};

/** One obligation of the contract. */
export interface Clause {
  readonly area: ClauseArea;
  readonly id: ClauseId;
  readonly level: "must" | "should";
  /** Set on the obligations of a client; the others bind the server. */
  readonly party?: "client";
  readonly text: string;
  /** Where in the contract it stands. */
  readonly source: string;
  /** Lines of spec/contract.md, as numbers and as ranges such as "147-148". */
  readonly lines: readonly (number | string)[];
  /** An operation, several, or \`all\`. */
  readonly operation?: string | readonly string[];
  /** The schema that the clause is about, where it is about no operation. */
  readonly resource?: string;
  /** How the clause can be seen from outside. */
  readonly seen: "blackbox" | { readonly needs: readonly string[] } | { readonly not_observable: string };
}

/** The title of each area. */
export const areaTitles: Readonly<Record<ClauseArea, string>> = {${titles}
};

/** Every clause, by area and number. */
export const clauses = [${rows}
] as const satisfies readonly Clause[];

/** Every clause by its id. */
export const clauseById: ReadonlyMap<ClauseId, Clause> = new Map(
  clauses.map((clause: Clause) => [clause.id, clause] as const),
);
`;
}
