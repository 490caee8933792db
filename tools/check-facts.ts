import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { OpenApiDocument } from "./bundle.ts";

const repository = path.resolve(import.meta.dirname, "..");

/** A fact of the contract that differs from the last release; undefined on the side that does not have it. */
export interface ChangedFact {
  /** Its place among the facts, such as `operations.discover.rateLimit.requests`. */
  name: string;
  old: unknown;
  now: unknown;
}

type Fields = Record<string, unknown>;

/** The statuses of each operation of a document, as facts of it. */
export const statusesOf = ({ paths }: OpenApiDocument): Fields =>
  Object.fromEntries(
    Object.values(paths as Record<string, Fields>)
      .flatMap((item) => Object.values(item) as { operationId?: string; responses?: Fields }[])
      .flatMap(({ operationId, responses }) =>
        operationId === undefined ? [] : [[operationId, { statuses: Object.keys(responses ?? {}) }]],
      ),
  );

/** The facts that differ, each at its innermost name. */
export function changedFacts(old: unknown, now: unknown, name = ""): ChangedFact[] {
  if (isDeepStrictEqual(old, now)) return [];
  const [before, after] = [namedIn(old), namedIn(now)];
  if (before === null || after === null) return [{ name, old, now }];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((one) =>
    changedFacts(before[one], after[one], name === "" ? one : `${name}.${one}`),
  );
}

/** A value's members by name, those of a list by their path or by themselves; null where it has none. */
function namedIn(value: unknown): Fields | null {
  // A field of an answer is one fact: it names its clauses.
  if (typeof value !== "object" || value === null || "clauses" in value) return null;
  if (!Array.isArray(value)) return value as Fields;
  const byName = Map.groupBy(value as Fields[], (fields) => String(fields["path"] ?? fields));
  return Object.fromEntries(
    [...byName].flatMap(([name, all]) =>
      all.map((fields, at) => [at === 0 ? name : `${name} #${at + 1}`, fields]),
    ),
  );
}

/** The parts of a clause that say what it is about. */
interface About {
  id: string;
  text: string;
  quote: string | readonly string[];
  /** An operation, several, or a group of them such as `limited`. */
  operation?: string | readonly string[];
}

/**
 * A note on the facts that differ from the last release: each with the judged clauses that are about it, and the
 * sentences that still state the old value, once each.
 * @param judged the clauses that a check or a rule cites
 */
export function factsNote(
  changed: readonly ChangedFact[],
  clauses: readonly About[],
  judged: ReadonlySet<string>,
): string[] {
  const lines = new Set(changed.length > 0 ? sentences() : []);
  return changed.flatMap((fact) => {
    const about = clauses.filter((clause) => isAbout(clause, fact)).map(({ id }) => id);
    const by = about.filter((id) => judged.has(id));
    const stale = [...lines].filter(({ text }) => saysOld(fact)?.test(text));
    for (const line of stale) lines.delete(line);
    return [
      `${fact.name}: ${shown(fact.old)} is now ${shown(fact.now)}`,
      `  ${by.length > 0 ? `judged by ${by.join(", ")}` : "judged by nothing: no clause names it that a check or a rule cites"}`,
      ...stale.map(({ place, text }) => `  ${place} still says: ${text}`),
    ];
  });
}

/** Whether a clause is about a fact: the fact's field says so, or the clause names it, and the fact's operation. */
function isAbout({ id, text, quote, operation = [] }: About, { name, old, now }: ChangedFact): boolean {
  const words = `${text} ${String(quote)}`;
  const [kind, of, part, ...rest] = name.split(".");
  const value = now ?? old;
  if (kind === "answers") return Boolean((value as { clauses?: readonly string[] }).clauses?.includes(id));
  if (kind === "contractVersion") return words.includes("the contract's version");
  if (kind !== "operations") return typeof value !== "object" && wordOf(value).test(words);
  const about = [operation].flat();
  if (part === "rateLimit")
    return about.some((word) => word === of || word === "limited") && /minute|quota/.test(words);
  return about.includes(of!) && wordOf(rest[0] ?? part).test(words);
}

const wordOf = (value: unknown): RegExp => new RegExp(`\\b${String(value).replace(/\W/g, "\\$&")}\\b`);

/** A pattern for sentences with the old value; null where they cannot be recognised. */
function saysOld({ name, old }: ChangedFact): RegExp | null {
  if (name.endsWith("rateLimit.requests")) return new RegExp(`\\b${String(old)} requests\\b`);
  if (name.endsWith("windowSeconds") && old === 60) return /(?<!half )(?:\b(?:a|one|per) |\/)minute\b/;
  if (typeof old !== "string" && typeof old !== "number") return null;
  return typeof old === "number" && old < 10 ? new RegExp(`\\b${old} [a-z]`) : wordOf(old);
}

/** The lines of prose that may state a fact: in spec/, and in the titles and messages of the code. */
function sentences(): { place: string; text: string }[] {
  const listed = execFileSync("git", ["ls-files", "spec/*.yaml", "conformance/*.ts", "load/*.ts"], {
    cwd: repository,
    encoding: "utf8",
  });
  const files = listed.split("\n").filter((file) => file !== "" && !/\.(test|proof|fixture)\.ts$/.test(file));
  return files.flatMap((file) =>
    readFileSync(path.join(repository, file), "utf8")
      .split("\n")
      .flatMap((line, index) =>
        file.endsWith(".yaml") || /["`]/.test(line)
          ? [{ place: `${file}:${index + 1}`, text: line.trim() }]
          : [],
      ),
  );
}

const shown = (value: unknown): string => (value === undefined ? "nothing" : JSON.stringify(value));
