import type { Check } from "./check.ts";
import { currentId } from "../judge/renamed.ts";
import type { Rule } from "../judge/rule.ts";
import { WrongUse } from "../../base/exit.ts";

/** What a run judges, and what else it performs. */
export interface Selection {
  checks: Check[];
  rules: Rule[];
  /** Checks of the area of a clause that no check cites: their traffic shows whether its rules are kept. */
  witnesses: Check[];
}

/**
 * Selects checks and rules by area (`CALL`), clause (`CALL-07`), both case-insensitive, or the id of a check or rule, also
 * one of an earlier release.
 * @throws WrongUse for a name that selects nothing
 */
export function select(
  checks: readonly Check[],
  rules: readonly Rule[],
  names: readonly string[] | undefined,
): Selection {
  if (names === undefined || names.length === 0)
    return { checks: [...checks], rules: [...rules], witnesses: [] };
  const chooses = (name: string, { id, clauses }: { id: string; clauses: readonly string[] }): boolean => {
    const upper = name.toUpperCase();
    return (
      id === currentId(name) || clauses.some((clause) => clause === upper || clause.split("-")[0] === upper)
    );
  };
  for (const name of names) {
    if ([...checks, ...rules].some((judge) => chooses(name, judge))) continue;
    throw new WrongUse(
      `${name} is not an area, clause or check of the suite; areas are ${areas(checks, rules)}`,
    );
  }
  const chosen = (judge: { id: string; clauses: readonly string[] }): boolean =>
    names.some((name) => chooses(name, judge));
  const unmet = names
    .filter((name) => !checks.some((check) => chooses(name, check)))
    .map((name) => name.split("-")[0]!.toUpperCase());
  const isWitness = ({ clauses }: Check): boolean =>
    clauses.some((clause) => unmet.includes(clause.split("-")[0]!));
  return {
    checks: checks.filter(chosen),
    rules: rules.filter(chosen),
    witnesses: checks.filter((check) => !chosen(check) && isWitness(check)),
  };
}

const areas = (...lists: (readonly { clauses: readonly string[] }[])[]): string =>
  [...new Set(lists.flat().flatMap((judge) => judge.clauses.map((clause) => clause.split("-")[0])))]
    .sort()
    .join(", ");
