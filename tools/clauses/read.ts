import { readdir, readFile } from "node:fs/promises";
import { yamlReader } from "../../base/yaml/schema.ts";
import { YamlError, type YamlFile } from "../../base/yaml/file.ts";
import { clausesSchema, notClausesSchema, type KnownNames } from "./schemas.ts";

const repository = new URL("../../", import.meta.url);
const clausesFolder = "spec/clauses/";
const notClausesFile = "spec/not-clauses.yaml";

/** An open question of the contract, with its lawful answers. */
export interface Reading {
  id: string;
  question: string;
  quote: string | string[];
  /** Each answer under a short name. */
  answers: Record<string, string>;
  /** The name of the reference server's answer. */
  reference: string;
  /** How a client sees which answer a server gives, or why it cannot. */
  seen: string | { not_observable: string };
}

export type ReadingsFile = YamlFile & { readonly value: { title: string; readings: Reading[] } };

/** How a clause can be observed from outside. */
export type Seen = "blackbox" | { needs: string[] } | { not_observable: string };

/** One obligation of the contract. */
export interface Clause {
  id: string;
  level: "must" | "should";
  party?: "client";
  text: string;
  /** The first version that contains it, and the first that no longer does. */
  since?: string;
  until?: string;
  /** Why the obligation is unchanged from earlier releases although the wording is new. */
  editorial?: string;
  quote: string | string[];
  basis: "stated" | "implied" | "reading";
  because?: string;
  /** Why words that state it oblige to no more than a `should`. */
  why_should?: string;
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

/** Words of the contract that carry no obligation (`why`) or leave something `open`. */
export interface NotClause {
  quote: string | string[];
  why?: string;
  open?: string;
}

export type AreaFile = YamlFile & { readonly value: Area };
export type NotClausesFile = YamlFile & { readonly value: NotClause[] };

/** The obligations, with the contract text that they quote. */
export interface Written {
  areas: AreaFile[];
  notClauses: NotClausesFile;
  readings: readonly ReadingsFile[];
  contract: string;
}

export const listOf = (quote: string | string[]): string[] => (typeof quote === "string" ? [quote] : quote);

/** @throws YamlError with the problems of every file that does not match its schema */
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

/** The operations that a clause applies to, with group names expanded. */
function expanded(operation: string | string[], { groups }: KnownNames): string | string[] {
  if (typeof operation === "string") return groups[operation]?.slice() ?? operation;
  return operation.flatMap((name) => groups[name] ?? name);
}
