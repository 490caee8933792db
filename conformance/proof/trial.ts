import { load } from "../../load/load.ts";
import type { Finding } from "../judge/finding.ts";
import { Unreachable, WrongUse } from "../../base/exit.ts";
import { run } from "../run/run.ts";
import { defaultProfile, type Profile } from "../server/profile.ts";
import type { Check } from "../run/check.ts";
import { checks as allChecks } from "../suite/checks.ts";
import { rules } from "../suite/rules.ts";
import { findingsOfRecording } from "./recorded-mutants.ts";
import { hasShortWindow } from "./kill.ts";
import type { Variation } from "../changes/mutant.ts";
import type { Stage } from "./stage.ts";

/** The ways to judge a server: by its profile, only by its address, by a recording of its traffic, under load. */
export const ways = ["profile", "address", "recording", "load"] as const;
export type Way = (typeof ways)[number];

/** A false alarm: a failure that the contract does not justify. */
export interface Alarm {
  id: string;
  way: Way;
  expected: string | null;
  received: string | null;
  /** For a rule: the check that sent the exchange at fault. */
  sent_by?: string | null;
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

type Alarming = Pick<Finding, "expected" | "received" | "sent_by"> & { id: string; reason?: string | null };

const alarmsOf = (way: Way, alarms: readonly Alarming[]): Alarm[] =>
  alarms.map(({ id, expected, received, reason, sent_by: sender }) => ({
    id,
    way,
    expected: expected ?? reason ?? null,
    received,
    ...(sender !== undefined && { sent_by: sender }),
  }));

/** No check may fail, and the suite must have no fault. A warning is not an alarm: breaking a `should` is lawful. */
const isAlarm = ({ verdict }: Finding): boolean => ["fail", "error", "blocked"].includes(verdict);

/** A short burst of Calls. */
const storm = { connections: 8, accounts: 1, calls: 16 };

/** The findings of storms; none where the server lacks what a storm needs, such as a tool that charges. */
async function underLoad(profile: Profile) {
  const found = [];
  for (const scenario of ["billing", "history"] as const) {
    try {
      found.push(...(await load(profile, { scenario, options: storm, thresholds: [] })).findings);
    } catch (reason) {
      if (!(reason instanceof WrongUse || reason instanceof Unreachable)) throw reason;
    }
  }
  return found;
}

/**
 * Runs the suite against a variation.
 * @param checks all of them, unless some are given
 * @param by the ways to judge it, always beginning with the profile
 */
export async function trial(
  variation: Variation,
  stage: Stage,
  { fast = true, by = ["profile"] as readonly Way[], checks = allChecks as readonly Check[] } = {},
): Promise<Trial> {
  const options = { checks, rules, fast: fast && !hasShortWindow(variation), anyKind: true };
  const judged = (profile: Profile) => run(profile, options);
  const alarms: Alarm[] = [];
  let kept = 0;
  if (by.includes("profile") || by.includes("recording")) {
    const { findings, exchanges } = await stage.perform(variation.change, judged);
    alarms.push(...alarmsOf("profile", findings.filter(isAlarm)));
    kept = findings.filter(({ level, verdict }) => level === "must" && verdict === "pass").length;
    if (by.includes("recording")) {
      const recorded = await findingsOfRecording(exchanges);
      alarms.push(...alarmsOf("recording", recorded.filter(isAlarm)));
    }
  }
  // What a profile declares about a server is lawful only because it is declared.
  if (by.includes("address") && variation.change.profile === undefined) {
    const known = await stage.perform(variation.change, ({ base_url: baseUrl, limits }) =>
      // A deployment may have other quotas, because it states them.
      judged({ ...defaultProfile(baseUrl), ...(variation.change.config !== undefined && { limits }) }),
    );
    alarms.push(...alarmsOf("address", known.findings.filter(isAlarm)));
  }
  if (by.includes("load")) {
    const loaded = await stage.perform(variation.change, underLoad);
    const failed = loaded.filter(({ verdict }) => verdict === "fail");
    alarms.push(
      ...alarmsOf(
        "load",
        failed.map(({ name: id, expected, received }) => ({ id, expected, received })),
      ),
    );
  }
  return {
    name: variation.name,
    permitted_by: variation.permittedBy,
    false_alarms: alarms,
    musts_kept: kept,
  };
}
