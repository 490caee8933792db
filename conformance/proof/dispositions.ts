import { readFileSync } from "node:fs";
import { parse } from "yaml";

/**
 * Why a generated mutant may survive: the contract permits what it does, it does the same as the original, no request
 * from outside reaches it, it is outside the contract, or the suite has a hole.
 */
export type DispositionKind = "permitted" | "equivalent" | "unreached" | "outside" | "hole";

/** The recorded reason why some generated mutants survive. */
export interface Disposition {
  /** A regular expression over whole ids. */
  of: string;
  is: DispositionKind;
  /** The words of the contract that permit it. */
  quote?: string;
  because: string;
}

const kinds: readonly DispositionKind[] = ["permitted", "equivalent", "unreached", "outside", "hole"];

/**
 * Reads the dispositions of one kind of mutants.
 * @throws TypeError naming an entry without a kind, a reason, or the quote of what is permitted
 */
export function readDispositions(file: URL): readonly Disposition[] {
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

/** The first disposition that speaks of a mutant; null where none does. */
export const dispositionOf = (id: string, dispositions: readonly Disposition[]): Disposition | null =>
  dispositions.find(({ of }) => new RegExp(`^(?:${of})$`).test(id)) ?? null;
