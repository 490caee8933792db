import { createHash } from "node:crypto";
import { jsonText } from "../../../base/described.ts";
import { WrongUse } from "../../../base/exit.ts";
import { written } from "../../../base/write.ts";
import { checks } from "../../suite/checks.ts";
import { workerPool, type Worker } from "../worker-pool.ts";
import { jobMs, judgingWorker, performAll, type Job, type Outcome } from "../jobs.ts";
import { drawn, isPart, shardOf } from "../part.ts";
import type { Choice } from "../prove.ts";

import { printRemarks } from "../report.ts";
import type { Remark } from "../source.ts";
import { today } from "../store.ts";
import { ways, type Alarm, type Way } from "../trial.ts";
import type { Single } from "./single.ts";
import { coveredBy, coverOf } from "./cover.ts";
import { points } from "./index.ts";
import { shrunk } from "./shrink.ts";
import { mustsKept, readLawful, storeLawful, type Lawful, type LawfulAlarm } from "./results.ts";

type Judge = Worker<Job, Outcome>;

/** At most this many servers cover this share of the pairs. */
const maxServers = 200;
const coveredShare = 0.95;

/** Points that one job checks against the rules. */
const atOnce = 100;

/**
 * Judges the lawful points, or those that `--only` names by operation or words of an id: each by itself by the rules over
 * recorded answers; then, in all four ways, servers that differ in one way everywhere, and servers of many points, until
 * nearly all pairs were together. Points that are named each get a server of their own. Alarms are shrunk.
 * @returns the exit status: 1 when there is an alarm
 * @throws WrongUse when the choice names no point
 */
export async function lawfulMatrix(choice: Choice): Promise<number> {
  const { only, sample, seed, shard, publish, unrun, json } = choice;
  const chosen = [...points.keys()].filter((index) => isNamed(points[index]!.id, only));
  if (chosen.length === 0) throw new WrongUse(`no lawful variation matches ${only.join(", ")}`);
  const stored = readLawful();
  const known = unrun && stored.seed === seed && stored.points === points.length ? stored : undefined;
  const singles = known === undefined ? await judgeSingly(chosen) : [];
  const unmet = known?.unmet ?? singles.filter(({ met }) => met === 0).map(({ id }) => id);
  const met = chosen.filter((index) => !unmet.includes(points[index]!.id));
  const all = only.length > 0 ? met.map((index) => [index]) : coverOver(met, seed);
  // The largest show the most pairs, so that a run that is cut short has judged as much as possible.
  const left = all
    .filter((server) => known?.judged[digestOf(server)] === undefined)
    .toSorted((one, other) => other.length - one.length);
  const servers = shardOf(sample === undefined ? left : drawn(left, String, { sample, seed }), shard);
  const share = shareOf(met, all);
  const resultOf = ({ alarms, judged, unfinished }: Judged): Lawful => {
    const kept = { ...known?.judged, ...judged };
    return {
      day: today(),
      seed,
      points: points.length,
      met: met.length,
      servers: all.length,
      pairs_covered: share,
      judged: kept,
      pairs_judged: shareOf(
        met,
        all.filter((server) => kept[digestOf(server)] !== undefined),
      ),
      alarms: [...(known?.alarms.filter(isOfOne) ?? singles.flatMap(alarmsOf)), ...alarms],
      unfinished,
      unmet,
    };
  };
  // A run that is cut short keeps its results so far.
  const keep = publish ? (judged: Judged): void => storeLawful(resultOf(judged)) : undefined;
  const result = resultOf(await judgeServers(servers, keep));
  await written(json, jsonText("mutants", result));
  print(result);
  if (publish) {
    storeLawful(result);
    await (await import("../page.ts")).writePages();
  }
  return result.alarms.length + result.unfinished.length > 0 ? 1 : 0;
}

/** A short name of a server, the same for the same points. */
const digestOf = (server: readonly number[]): string =>
  createHash("sha256")
    .update(server.map((index) => points[index]!.id).join())
    .digest("hex")
    .slice(0, 12);

const isNamed = (id: string, only: readonly string[]): boolean =>
  only.length === 0 || only.some((name) => id.split(" ")[0] === name || isPart(name, id));

/** The servers that differ in one way everywhere, and those of a cover, by the indices of all points. */
function coverOver(met: readonly number[], seed: string): number[][] {
  const some = met.map((index) => points[index]!);
  return coverOf(some, seed, maxServers, coveredShare).servers.map((server) => server.map((at) => met[at]!));
}

/** The share of the pairs of points that are together in a server. */
function shareOf(met: readonly number[], servers: readonly number[][]): number {
  const places = new Map(met.map((index, at) => [index, at]));
  return coveredBy(
    met.map((index) => points[index]!),
    servers.map((server) => server.map((index) => places.get(index)!)),
  );
}

/** The result of each point, in the order of the indices. */
async function judgeSingly(indices: readonly number[]): Promise<Single[]> {
  const found = new Map<string, Single>();
  const batches = Array.from({ length: Math.ceil(indices.length / atOnce) }, (_, at) =>
    indices.slice(at * atOnce, (at + 1) * atOnce),
  );
  const unfinished = await performAll(
    batches,
    (batch) => ({ kind: "single", points: batch }),
    (outcome) => {
      if (outcome.kind === "single") for (const result of outcome.results) found.set(result.id, result);
    },
    ([first]) => `by the rules, from ${points[first!]!.id}`,
  );
  if (unfinished.length > 0) throw new Error(unfinished.join("\n"));
  return indices.map((index) => found.get(points[index]!.id)!);
}

const isOfOne = ({ way, points: { length } }: LawfulAlarm): boolean => way === "recording" && length === 1;

const alarmsOf = ({ id, alarms }: Single): LawfulAlarm[] =>
  alarms.map((alarm) => ({ ...alarm, way: "recording", points: [id] }));

interface Judged {
  alarms: LawfulAlarm[];
  /** The `must` checks and rules that each server kept, by the server's digest. */
  judged: Record<string, number>;
  unfinished: string[];
}

/** @param keep called after each server with what is known so far */
async function judgeServers(servers: readonly number[][], keep?: (judged: Judged) => void): Promise<Judged> {
  const found: Judged = { alarms: [], judged: {}, unfinished: [] };
  const { alarms, judged } = found;
  const work = async (server: number[], worker: Judge): Promise<void> => {
    const outcome = await worker.perform({ kind: "points", points: server, by: ways }, jobMs);
    if (outcome.kind !== "points") return;
    for (const alarm of outcome.trial.false_alarms) {
      if (!isExplained(alarm, server, alarms))
        alarms.push(await withCompany(await traced(alarm, server, worker), worker));
    }
    // A server with an alarm is judged again after the fix.
    if (outcome.trial.false_alarms.length === 0) judged[digestOf(server)] = outcome.trial.musts_kept;
    keep?.(found);
  };
  const nameOf = (server: number[]): string => `server ${servers.indexOf(server) + 1}`;
  return { ...found, unfinished: await workerPool(servers, judgingWorker, work, nameOf) };
}

/** Whether the server has all points of an alarm that is known. */
const isExplained = (alarm: Alarm, server: readonly number[], known: readonly LawfulAlarm[]): boolean =>
  known.some(
    ({ id, also = [], points: enough }) =>
      [id, ...also].includes(alarm.id) &&
      enough.every((name) => server.some((index) => points[index]!.id === name)),
  );

/** The number of points that is small enough to be the cause of all that they raise. */
const maxCause = 3;

/** The alarm, with all that its points raise by themselves: one cause is one entry. */
async function withCompany(alarm: LawfulAlarm, worker: Judge): Promise<LawfulAlarm> {
  if (alarm.points.length > maxCause) return alarm;
  const cause = [...points.keys()].filter((index) => alarm.points.includes(points[index]!.id));
  const outcome = await worker.perform({ kind: "points", points: cause, by: ways }, jobMs);
  const found = outcome.kind === "points" ? outcome.trial.false_alarms.map(({ id }) => id) : [];
  const also = [...new Set(found)].filter((id) => id !== alarm.id);
  return also.length > 0 ? { ...alarm, also } : alarm;
}

/** The alarm with the fewest points that raise it. */
async function traced(alarm: Alarm, server: readonly number[], worker: Judge): Promise<LawfulAlarm> {
  const own = [alarm.id, alarm.sent_by].filter((id) => checks.some((check) => check.id === id)) as string[];
  const by: readonly Way[] = [alarm.way];
  const raises = async (part: readonly number[]): Promise<boolean> => {
    const job: Job = { kind: "points", points: part, by, ...(own.length > 0 && { checks: own }) };
    const outcome = await worker.perform(job, jobMs);
    return outcome.kind === "points" && outcome.trial.false_alarms.some(({ id }) => id === alarm.id);
  };
  const enough = (await raises(server)) ? await shrunk(server, raises) : server;
  return { ...alarm, points: enough.map((index) => points[index]!.id) };
}

function print(all: Lawful): void {
  const { alarms, met, judged, servers, pairs_covered: share, pairs_judged: shown, ...result } = all;
  printRemarks([
    ...result.unfinished.map((what): Remark => ["✗ not judged", what]),
    ...alarms.map((alarm): Remark => ["✗ false alarm", textOf(alarm)]),
  ]);
  console.log(
    `${result.points} lawful variations, ${met} of them shown by a run and checked singly against the rules; ` +
      `${Object.keys(judged).length} of ${servers} servers that cover ${percent(share)} of the pairs judged, ` +
      `with ${percent(shown)} of them (--seed ${result.seed}), ` +
      `${mustsKept(all)} must checks and rules kept on average; ${alarms.length} false alarms`,
  );
}

/** The alarm, with what it takes to raise it. */
function textOf({ id, way, expected, received, points: enough, also = [] }: LawfulAlarm): string {
  const wordsOf = (name: string): string => points.find((point) => point.id === name)!.permittedBy;
  return [
    `${id} (${way}): expected ${expected}, received ${received}`,
    ...(also.length > 0 ? [`and for the same cause ${also.join(", ")}`] : []),
    ...enough.slice(0, 3).map((name) => `${name} (permitted by ${wordsOf(name)})`),
    ...(enough.length > 3
      ? [`and ${enough.length - 3} more: the alarm does not recur with only its check`]
      : []),
  ].join("\n    ");
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
