import { readdir, readFile } from "node:fs/promises";
import { yamlReader } from "../../yaml/schema.ts";
import { YamlError, type YamlFile } from "../../yaml/file.ts";
import type { ReadingsFile } from "./readings.ts";
import { clausesSchema, notClausesSchema, type KnownNames } from "./schemas.ts";

const repository = new URL("../../", import.meta.url);
const clausesFolder = "spec/clauses/";
const notClausesFile = "spec/not-clauses.yaml";

/** How a clause can be seen from outside. */
export type Seen = "blackbox" | { needs: string[] } | { not_observable: string };

/** One obligation of the contract. */
export interface Clause {
  id: string;
  level: "must" | "should";
  party?: "client";
  text: string;
  /** The first version that has it, and the first that has it no more. */
  since?: string;
  until?: string;
  /** Why it obliges to the same as in earlier releases, though it is worded anew. */
  editorial?: string;
  quote: string | string[];
  basis: "stated" | "implied" | "reading";
  because?: string;
  reading?: string;
  operation?: string | string[];
  resource?: string;
  seen: Seen;
}

/** The clauses of one area. */
export interface Area {
  area: string;
  prefix: string;
  title: string;
  clauses: Clause[];
}

/** Words of the contract that carry no obligation (`why`) or that leave something `open`. */
export interface NotClause {
  quote: string | string[];
  why?: string;
  open?: string;
}

export type AreaFile = YamlFile & { readonly value: Area };
export type NotClausesFile = YamlFile & { readonly value: NotClause[] };

/** The obligations as they are written down, with the contract that they are taken from. */
export interface Written {
  areas: AreaFile[];
  notClauses: NotClausesFile;
  readings: readonly ReadingsFile[];
  contract: string;
}

export const listOf = (quote: string | string[]): string[] => (typeof quote === "string" ? [quote] : quote);

/** @throws YamlError with the problems of every file that is not what its schema says */
export async function readClauses(known: KnownNames, readings: readonly ReadingsFile[]): Promise<Written> {
  const folder = new URL(clausesFolder, repository);
  const names = (await readdir(folder)).filter((name) => name.endsWith(".yaml")).toSorted();
  const text = (name: string): Promise<string> => readFile(new URL(name, repository), "utf8");
  const readArea = yamlReader<Area>(clausesSchema(known));
  const problems: string[] = [];
  const areas: AreaFile[] = [];
  for (const name of names) {
    try {
      const file = readArea(clausesFolder + name, await text(clausesFolder + name));
      for (const clause of file.value.clauses) clause.operation &&= expanded(clause.operation, known);
      areas.push(file);
    } catch (error) {
      if (!(error instanceof YamlError)) throw error;
      problems.push(...error.problems);
    }
  }
  if (problems.length > 0) throw new YamlError(problems);
  const notClauses = yamlReader<NotClause[]>(notClausesSchema)(notClausesFile, await text(notClausesFile));
  return { areas, notClauses, readings, contract: await text("spec/contract.md") };
}

/** The operations that a clause is about, a name of several replaced by these. */
function expanded(operation: string | string[], { groups }: KnownNames): string | string[] {
  if (typeof operation === "string") return groups[operation]?.slice() ?? operation;
  return operation.flatMap((name) => groups[name] ?? name);
}
