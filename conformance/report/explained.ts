import { existsSync } from "node:fs";

/** A clone that an action checks out is not the reader's. */
const isReadersClone = import.meta.filename.endsWith(".ts") && !process.env["GITHUB_ACTION_PATH"];

/** How a reader calls a verb of this program: in a clone, or from the installed package. */
export const calling = (verb: string): string =>
  isReadersClone ? `npm run ${verb} --` : `npx capability-contract ${verb}`;

/** Where the page of a clause can be read. */
export interface Explained {
  /** The command that prints it, without network. */
  command: string;
  /** Its address on the site that CONTRACT_DOCS names, which is valid on every machine. */
  published: string | null;
  /** That address, or the one of its copy in the installed package; null in a clone. */
  address: string | null;
}

export function explained(id: string): Explained {
  const site = process.env["CONTRACT_DOCS"];
  const published = site ? `${site.replace(/\/+$/, "")}/clauses/${id}.html` : null;
  const copy = new URL(`../../docs/clauses/${id}.html`, import.meta.url);
  return {
    command: `${calling("explain")} ${id}`,
    published,
    address: published ?? (existsSync(copy) ? copy.href : null),
  };
}

/** Where a finding's clause is explained, for a report that is read on other machines. */
export function explanation({ clauses: [first] }: { clauses: readonly string[] }): string | null {
  if (first === undefined) return null;
  const { published, command } = explained(first);
  return `${first} is explained ${published === null ? `by ${command}` : `at ${published}`}`;
}
