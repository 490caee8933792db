import { checks as allChecks } from "../checks/index.ts";
import { rules } from "../rules/index.ts";
import { run, type Finding } from "../runner/run.ts";
import type { Mutant, Variation } from "./mutant.ts";
import type { Template } from "./stage.ts";

/** What became of one mutant. */
export interface Kill {
  name: string;
  clause: string;
  /** Checks and rules of its clause that turned red; none: it survived. */
  killed_by: string[];
  /** Checks and rules of other clauses that turned red too. */
  collateral: string[];
}

/** What came of one variation: the checks that turned red although the contract permits it. */
export interface Trial {
  name: string;
  permitted_by: string;
  false_alarms: { id: string; expected: string | null; received: string | null }[];
}

/** Areas whose rules speak about every operation: a mutant of theirs meets the whole suite. */
const broad = ["HTTP", "VERS", "ERRO", "AUTH"];

const areaOf = (clause: string): string => clause.split("-")[0]!;
const isRed = (finding: Finding): boolean => finding.verdict === "fail" || finding.verdict === "warn";

/** Where the window is short, the checks that wait for its end are fast too. */
const hasShortWindow = ({ change }: Mutant | Variation): boolean => (change.config?.windowSeconds ?? 60) < 60;

/**
 * Runs the checks of a mutant's area against it, or with `whole` the entire suite: what turns red and cites its clause
 * has killed it.
 */
export async function kill(one: Mutant, stage: Template, { whole = false, fast = true } = {}): Promise<Kill> {
  const area = areaOf(one.clause);
  const checks = allChecks.filter(
    (check) => whole || broad.includes(area) || check.clauses.some((clause) => areaOf(clause) === area),
  );
  const { findings } = await stage.perform(one.change, (profile) =>
    run(profile, { checks, rules, fast: fast && !hasShortWindow(one), anyKind: true }),
  );
  const red = findings.filter(isRed);
  const cites = (finding: Finding): boolean => finding.clauses.includes(one.clause);
  return {
    name: one.name,
    clause: one.clause,
    killed_by: red.filter(cites).map((finding) => finding.id),
    collateral: red.filter((finding) => !cites(finding)).map((finding) => finding.id),
  };
}

/** Runs the whole suite against a variation: nothing may turn red, and nothing may be an error of the suite. */
export async function trial(one: Variation, stage: Template, { fast = true } = {}): Promise<Trial> {
  const { findings } = await stage.perform(one.change, (profile) =>
    run(profile, { checks: allChecks, rules, fast: fast && !hasShortWindow(one), anyKind: true }),
  );
  const alarms = findings.filter(
    (finding) => isRed(finding) || ["error", "blocked"].includes(finding.verdict),
  );
  return {
    name: one.name,
    permitted_by: one.permittedBy,
    false_alarms: alarms.map(({ id, expected, received, reason }) => ({
      id,
      expected: expected ?? reason,
      received,
    })),
  };
}
