import { load } from "../../load/load.ts";
import type { Finding } from "../judge/finding.ts";
import { Unreachable, WrongUse } from "../../cli/exit.ts";
import { run } from "../run/run.ts";
import { defaultProfile, type Profile } from "../server/profile.ts";
import { checks } from "../suite/checks.ts";
import { rules } from "../suite/rules.ts";
import { findingsOfRecording } from "./recorded-mutants.ts";
import { hasShortWindow } from "./kill.ts";
import type { Variation } from "../changes/mutant.ts";
import type { Stage } from "./stage.ts";

/** The ways to judge a server: by its profile, by its address alone, by a recording of its traffic, under load. */
export type Way = "profile" | "address" | "recording" | "load";

/** A false alarm: a failure that the contract does not justify. */
export interface Alarm {
  id: string;
  way: Way;
  expected: string | null;
  received: string | null;
}

/** The result for one variation. */
export interface Trial {
  name: string;
  permitted_by: string;
  false_alarms: Alarm[];
  /**
   * The number of `must` checks and rules that passed: a variation could also be quiet because nothing was verified.
   */
  musts_kept: number;
}

type Alarming = Pick<Finding, "expected" | "received"> & { id: string; reason?: string | null };

const alarmsOf = (way: Way, found: readonly Alarming[]): Alarm[] =>
  found.map(({ id, expected, received, reason }) => ({
    id,
    way,
    expected: expected ?? reason ?? null,
    received,
  }));

/** No check may fail, and the suite must have no fault. A warning is not an alarm: breaking a `should` is lawful. */
const isAlarm = ({ verdict }: Finding): boolean => ["fail", "error", "blocked"].includes(verdict);

/** A short burst of Calls. */
const storm = { connections: 8, accounts: 1, calls: 16 };

/** What a storm finds; nothing where the server shows too little for one, such as a tool that charges. */
const underLoad = (profile: Profile) =>
  load(profile, { scenario: "billing", options: storm, thresholds: [] }).then(
    ({ findings }) => findings,
    (reason: unknown) => {
      if (reason instanceof WrongUse || reason instanceof Unreachable) return [];
      throw reason;
    },
  );

/**
 * Runs the whole suite against a variation.
 * @param everywhere also by address alone, by a recording of the suite's traffic, and under load
 */
export async function trial(
  one: Variation,
  stage: Stage,
  { fast = true, everywhere = false } = {},
): Promise<Trial> {
  const options = { checks, rules, fast: fast && !hasShortWindow(one), anyKind: true };
  const judged = (profile: Profile) => run(profile, options);
  const { findings, exchanges } = await stage.perform(one.change, judged);
  const alarms = alarmsOf("profile", findings.filter(isAlarm));
  if (everywhere) {
    const recorded = await findingsOfRecording(exchanges);
    alarms.push(...alarmsOf("recording", recorded.filter(isAlarm)));
    // What a profile declares about a server is lawful only because it is declared.
    if (one.change.profile === undefined) {
      const known = await stage.perform(one.change, ({ base_url: baseUrl, limits }) =>
        // Quotas of a deployment's own are lawful because it tells them.
        judged({ ...defaultProfile(baseUrl), ...(one.change.config !== undefined && { limits }) }),
      );
      alarms.push(...alarmsOf("address", known.findings.filter(isAlarm)));
    }
    const loaded = await stage.perform(one.change, underLoad);
    const failed = loaded.filter(({ verdict }) => verdict === "fail");
    alarms.push(
      ...alarmsOf(
        "load",
        failed.map(({ name: id, expected, received }) => ({ id, expected, received })),
      ),
    );
  }
  return {
    name: one.name,
    permitted_by: one.permittedBy,
    false_alarms: alarms,
    musts_kept: findings.filter(({ level, verdict }) => level === "must" && verdict === "pass").length,
  };
}
