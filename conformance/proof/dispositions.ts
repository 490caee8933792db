import { kept } from "../../base/data.ts";
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { readResults, type SourceName } from "./store.ts";

/** The reasons why some mutants of a source may survive, and which of them somebody has accepted. */
export interface Reasons {
  dispositions: readonly Disposition[];
  /** The ids that are excused: a mutant that only matches a reason is not. */
  excused: ReadonlySet<string>;
}

/**
 * Why a generated mutant may survive: the contract permits it, it is equivalent to the original, no external request
 * reaches it, it is outside the contract, or the suite has a gap.
 */
export type DispositionKind = "permitted" | "equivalent" | "unreached" | "outside" | "hole";

/** A reason why some generated mutants may survive. */
export interface Disposition {
  /** A regular expression that matches the whole ids of mutants that may be excused by it. */
  of: string;
  is: DispositionKind;
  /** The passage of the contract that permits it. */
  quote?: string;
  because: string;
}

/** The sources whose mutants are generated. */
export type Generated = "spec" | "code";

/** The reason why a mutant may survive; null when none is recorded for it. */
export const reasonOf = (id: string, { dispositions, excused }: Reasons): Disposition | null =>
  excused.has(id) ? excuseFor(id, dispositions) : null;

/** The first reason that could excuse a mutant; null when none matches. */
export const excuseFor = (id: string, dispositions: readonly Disposition[]): Disposition | null =>
  dispositions.find(({ of }) => kept(patterns, of, () => new RegExp(`^(?:${of})$`)).test(id)) ?? null;

const patterns = new Map<string, RegExp>();

/**
 * The reasons of a source; what is written by hand needs none, since none of it may live.
 * @throws TypeError naming an entry without a kind, a reason, or the passage that permits it
 */
export function reasonsOf(source: SourceName): Reasons {
  if (source === "hand") return { dispositions: [], excused: new Set() };
  return { dispositions: dispositionsOf(source), excused: new Set(readResults(source).excused) };
}

const kinds: readonly DispositionKind[] = ["permitted", "equivalent", "unreached", "outside", "hole"];

function dispositionsOf(source: Generated): readonly Disposition[] {
  const file = new URL(`${source}/dispositions.yaml`, import.meta.url);
  const entries = (parse(readFileSync(file, "utf8")) ?? []) as Disposition[];
  for (const { of, is, because, quote } of entries) {
    if (typeof of !== "string" || !kinds.includes(is) || typeof because !== "string") {
      throw new TypeError(`${file.pathname}: ${of} should have is (${kinds.join(", ")}) and because`);
    }
    if (is === "permitted" && typeof quote !== "string") {
      throw new TypeError(`${file.pathname}: ${of} is permitted and should quote the contract`);
    }
  }
  return entries;
}
