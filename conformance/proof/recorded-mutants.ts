import { join } from "node:path";
import { kept } from "../../base/data.ts";
import { withTemporaryFolder } from "../../base/temporary-folder.ts";
import type { Check } from "../run/check.ts";
import { checks as allChecks } from "../suite/checks.ts";
import type { Exchange } from "../judge/exchange.ts";
import type { Finding } from "../judge/finding.ts";
import type { Witnesses } from "./kill.ts";
import type { Mutant } from "../changes/mutant.ts";
import type { Stage } from "./stage.ts";
import { rules } from "../suite/rules.ts";
import { run } from "../run/run.ts";
import { readHar, surveyOf } from "../traffic/har.ts";
import { writeHar } from "../traffic/write-har.ts";
import { crossingRules } from "../suite/crossing.ts";
import { TrafficJudge } from "../traffic/traffic-judge.ts";

/** What a recording of a mutant's traffic shows. */
export interface Recorded {
  clause: string;
  name: string;
  /** The suite's rules for its clause that failed during the recording. */
  live: string[];
  /**
   * The rules for its clause, including those across exchanges, that the recording breaks, and that a recording of the
   * unaltered server keeps.
   */
  found: string[];
  /** Rules for other clauses that it breaks. */
  others: string[];
  /** Rules for its clause that a recording of the unaltered server breaks too. */
  unsound: string[];
}

/** Whether any rule about traffic covers a clause. */
export const isJudged = (clause: string): boolean =>
  [...rules, ...crossingRules].some(({ clauses }) => (clauses as readonly string[]).includes(clause));

const areaOf = (clause: string): string => clause.split("-")[0]!;

/** Writes exchanges to a HAR file and judges it as a complete recording of its clients. */
export const findingsOfRecording = (exchanges: readonly Exchange[]): Promise<readonly Finding[]> =>
  withTemporaryFolder(async (folder) => {
    const file = join(folder, "recording.har");
    writeHar(file, exchanges);
    const judge = new TrafficJudge("server", true);
    for await (const traffic of readHar(file, await surveyOf(file))) judge.see(traffic);
    return judge.findings();
  });

const known = new WeakMap<Stage, Map<string, Promise<readonly string[]>>>();

/** The rules that a recording of some checks on the unaltered server breaks; made once per stage. */
const brokenUnaltered = (stage: Stage, checks: readonly Check[]): Promise<readonly string[]> =>
  kept(
    kept(known, stage, () => new Map<string, Promise<readonly string[]>>()),
    checks.map(({ id }) => id).join(),
    async () => {
      const { exchanges } = await stage.perform({}, (profile) =>
        run(profile, { checks, rules: [], fast: true, anyKind: true }),
      );
      return (await brokenByRecording(exchanges)).map(({ id }) => id);
    },
  );

/** The rules that a recording of the exchanges breaks. */
async function brokenByRecording(exchanges: readonly Exchange[]): Promise<readonly Finding[]> {
  const findings = await findingsOfRecording(exchanges);
  const stumbled = findings.find(({ verdict }) => verdict === "error");
  if (stumbled !== undefined) throw new Error(`${stumbled.id}: ${stumbled.reason}`);
  return findings.filter(({ verdict }) => verdict === "fail" || verdict === "warn");
}

/** Judges a recording of the traffic between the suite and a mutant: it must show what a rule detects live. */
export async function recordMutant(mutant: Mutant, stage: Stage, witnesses: Witnesses): Promise<Recorded> {
  const cites = ({ clauses }: { clauses: readonly string[] }): boolean => clauses.includes(mutant.clause);
  const madeBy = async (checks: readonly Check[]): Promise<Recorded> => {
    const { findings, exchanges } = await stage.perform(mutant.change, (profile) =>
      run(profile, { checks, rules, fast: true, anyKind: true }),
    );
    const red = findings.filter(({ verdict }) => verdict === "fail" || verdict === "warn");
    const broken = await brokenByRecording(exchanges);
    const citing = broken.filter(cites).map(({ id }) => id);
    const before = citing.length > 0 ? await brokenUnaltered(stage, checks) : [];
    return {
      clause: mutant.clause,
      name: mutant.name,
      live: red.map(({ id }) => id).filter((id) => rules.some((rule) => rule.id === id && cites(rule))),
      found: citing.filter((id) => !before.includes(id)),
      others: broken.filter((rule) => !cites(rule)).map(({ id }) => id),
      unsound: citing.filter((id) => before.includes(id)),
    };
  };
  const showing = rules.filter(cites).flatMap((rule) => witnesses.get(rule.id) ?? []);
  const recorded = await madeBy([...new Set([...allChecks.filter(cites), ...showing])]);
  if (recorded.found.length > 0 || recorded.live.length > 0) return recorded;
  // Rules across exchanges need related traffic: that of the whole area.
  return madeBy(
    allChecks.filter(({ clauses }) => clauses.some((clause) => areaOf(clause) === areaOf(mutant.clause))),
  );
}
