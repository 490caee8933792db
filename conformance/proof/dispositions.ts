import { readFileSync } from "node:fs";
import { parse } from "yaml";
import type { Source } from "./results.ts";

/**
 * Why a generated mutant may survive: the contract permits it, it is equivalent to the original, no external request
 * reaches it, it is outside the contract, or the suite has a gap.
 */
export type DispositionKind = "permitted" | "equivalent" | "unreached" | "outside" | "hole";

/** The recorded reason why some generated mutants survive. */
export interface Disposition {
  /** A regular expression that matches whole ids. */
  of: string;
  is: DispositionKind;
  /** The passage of the contract that permits it. */
  quote?: string;
  because: string;
}

const kinds: readonly DispositionKind[] = ["permitted", "equivalent", "unreached", "outside", "hole"];

/**
 * Why some mutants of a source may survive.
 * @throws TypeError naming an entry without a kind, a reason, or the passage that permits it
 */
export function dispositionsOf(source: Source): readonly Disposition[] {
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

/** The first disposition that matches a mutant; null when none does. */
export const dispositionOf = (id: string, dispositions: readonly Disposition[]): Disposition | null =>
  dispositions.find(({ of }) => new RegExp(`^(?:${of})$`).test(id)) ?? null;
