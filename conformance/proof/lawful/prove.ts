import { jsonText } from "../../../cli/described.ts";
import { WrongUse } from "../../../cli/exit.ts";
import { written } from "../../../cli/write.ts";
import { paintFor, progress } from "../../report/terminal.ts";
import { checks } from "../../suite/checks.ts";
import { crew, type Worker } from "../crew.ts";
import { jobMs, judgingWorker, type Job, type Outcome } from "../jobs.ts";
import { drawn, isPart } from "../part.ts";
import { publishFigure } from "../publish.ts";
import { ways, type Alarm, type Way } from "../trial.ts";
import type { Alone } from "./alone.ts";
import { coverOf } from "./cover.ts";
import { points } from "./index.ts";
import { shrunk } from "./shrink.ts";
import { storeLawful, type Lawful } from "./results.ts";

/** Which points are judged, and what becomes of the result. */
interface Choice {
  /** Operations, or several words of an id: each such point has a server of its own; empty means all, together. */
  only: readonly string[];
  /** The number of servers. */
  sample?: number | undefined;
  seed: string;
  publish: boolean;
  /** The file for the results. */
  json: string;
}

/** A false alarm, and the points that are enough for it. */
export interface LawfulAlarm extends Alarm {
  points: readonly string[];
}

type Judge = Worker<Job, Outcome>;

/** At most this many servers cover this share of the pairs. */
const maxServers = 200;
const coveredShare = 0.95;

/** Points that one job holds against the rules. */
const atOnce = 100;

/**
 * Judges the lawful points: each alone by the rules over recorded answers; then, in all four ways, servers that differ in
 * one way everywhere, and servers of many points, until nearly all pairs were together. Each alarm is shrunk to the points that are enough for it.
 * @returns the exit status: 1 when there is an alarm
 * @throws WrongUse when the choice names no point
 */
export async function lawfulMatrix({ only, sample, seed, publish, json }: Choice): Promise<number> {
  const chosen = [...points.keys()].filter((index) => isNamed(points[index]!.id, only));
  if (chosen.length === 0) throw new WrongUse(`no lawful variation matches ${only.join(", ")}`);
  const alone = await judgeAlone(chosen);
  const met = chosen.filter((_, at) => alone[at]!.met > 0);
  const cover = only.length > 0 ? { servers: met.map((index) => [index]), share: 0 } : coverOver(met, seed);
  const servers = drawn(cover.servers, String, { sample, seed });
  const judged = await judgeServers(servers);
  const result: Lawful = {
    day: new Date().toISOString().slice(0, 10),
    seed,
    points: points.length,
    met: met.length,
    servers: cover.servers.length,
    judged: judged.musts.length,
    pairs_covered: cover.share,
    musts_kept: Math.round(
      judged.musts.reduce((sum, count) => sum + count, 0) / Math.max(1, judged.musts.length),
    ),
    alarms: [...alone.flatMap(alarmsAlone), ...judged.alarms],
    unfinished: judged.unfinished,
  };
  await written(json, jsonText("mutants", result));
  tell(result);
  if (publish) {
    await storeLawful(result);
    await (await import("../page.ts")).writePage();
    await publishFigure();
  }
  return result.alarms.length + result.unfinished.length > 0 ? 1 : 0;
}

const isNamed = (id: string, only: readonly string[]): boolean =>
  only.length === 0 || only.some((name) => id.split(" ")[0] === name || isPart(name, id));

/** The servers that differ in one way everywhere, and those of a cover, by the indices of all points. */
function coverOver(met: readonly number[], seed: string): { servers: number[][]; share: number } {
  const some = met.map((index) => points[index]!);
  const { servers, share } = coverOf(some, seed, maxServers, coveredShare);
  return { servers: servers.map((server) => server.map((at) => met[at]!)), share };
}

/** The result of each point, in the order of the indices. */
async function judgeAlone(indices: readonly number[]): Promise<Alone[]> {
  const line = progress(process.stderr);
  const found = new Map<string, Alone>();
  const batches = Array.from({ length: Math.ceil(indices.length / atOnce) }, (_, at) =>
    indices.slice(at * atOnce, (at + 1) * atOnce),
  );
  await crew(batches, judgingWorker, async (batch, worker) => {
    const outcome = await worker.perform({ kind: "alone", points: batch }, jobMs);
    if (outcome.kind === "alone") for (const one of outcome.results) found.set(one.id, one);
    line.show(`${found.size} of ${indices.length} alone`);
  });
  line.clear();
  return indices.map((index) => found.get(points[index]!.id)!);
}

const alarmsAlone = ({ id, alarms }: Alone): LawfulAlarm[] =>
  alarms.map((alarm) => ({ ...alarm, way: "recording", points: [id] }));

interface Judged {
  alarms: LawfulAlarm[];
  /** The `must` checks and rules that each server kept. */
  musts: number[];
  unfinished: string[];
}

async function judgeServers(servers: readonly number[][]): Promise<Judged> {
  const line = progress(process.stderr);
  const judged: Judged = { alarms: [], musts: [], unfinished: [] };
  await crew([...servers.entries()], judgingWorker, async ([number, server], worker) => {
    try {
      const outcome = await worker.perform({ kind: "points", points: server, by: ways }, jobMs);
      if (outcome.kind !== "points") return;
      judged.musts.push(outcome.trial.musts_kept);
      for (const alarm of outcome.trial.false_alarms) {
        if (!isExplained(alarm, server, judged.alarms))
          judged.alarms.push(await traced(alarm, server, worker));
      }
    } catch (error) {
      judged.unfinished.push(`server ${number + 1}: ${(error as Error).message}`);
    }
    line.show(`${judged.musts.length} of ${servers.length} servers, ${judged.alarms.length} alarms`);
  });
  line.clear();
  return judged;
}

/** Whether the server has all points of an alarm that is known. */
const isExplained = (alarm: Alarm, server: readonly number[], known: readonly LawfulAlarm[]): boolean =>
  known.some(
    ({ id, points: enough }) =>
      id === alarm.id && enough.every((name) => server.some((index) => points[index]!.id === name)),
  );

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

function tell({
  alarms,
  met,
  judged,
  servers,
  pairs_covered: share,
  musts_kept: musts,
  ...result
}: Lawful): void {
  const paint = paintFor(process.stdout);
  for (const what of result.unfinished) console.log(`${paint("red", "✗ not judged")}  ${what}`);
  for (const { id, way, expected, received, points: enough } of alarms) {
    console.log(
      `${paint("red", "✗ false alarm")}  ${id} (${way}): expected ${expected}, received ${received}`,
    );
    for (const name of enough.slice(0, 3)) {
      console.log(
        `    ${name} (permitted by ${points.find(({ id: known }) => known === name)!.permittedBy})`,
      );
    }
    if (enough.length > 3)
      console.log(`    and ${enough.length - 3} more: the alarm does not come back with its check alone`);
  }
  console.log(
    `${result.points} lawful variations, ${met} of them shown by a run and held alone against the rules; ` +
      `${judged} of ${servers} servers that cover ${(100 * share).toFixed(1)} % of the pairs judged (--seed ${result.seed}), ` +
      `${musts} must checks and rules kept on average; ${alarms.length} false alarms`,
  );
}
