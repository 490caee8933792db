import { extname } from "node:path";
import { checks } from "../../suite/checks.ts";
import { workerPool, Worker } from "../worker-pool.ts";
import { reasonOf, reasonsOf } from "../dispositions.ts";
import type { GeneratedKill } from "../kill.ts";
import { fateOf } from "../report.ts";
import type { Source } from "../source.ts";
import { readResults } from "../store.ts";
import { grouped, type Reached } from "./groups.ts";
import { instrumentedAll } from "./sites.ts";
import type { CodeJob, CodeOutcome, Coverage, Judged } from "./worker.ts";

/** Time limit of the run that records which checks reach which sites. */
const coverageMs = 1_800_000;

/** Time limit of the checks on one mutant: a broken loop may never end. */
const deadlineMs = (checks: number): number => 5_000 + 100 * checks;

/** Checks run against a mutant concurrently; the first failure ends it. */
const batches = [12, 60, Infinity];

/** Up to so many sites, the whole suite for each takes less than to record which checks reach which site. */
const maxUnrecorded = 16;

const allChecks = checks.map(({ id }) => id);

// The output of a broken server is useless.
const worker = (): Worker<CodeJob, CodeOutcome> =>
  new Worker(new URL(`worker${extname(import.meta.url)}`, import.meta.url), "ignore");

/**
 * The mutants of the server's sources: each site is broken by itself, and judged by the checks that reach it. Sites
 * that survived before, for a recorded reason, are broken in groups first: if every check passes, the whole group
 * survives. A mutant that hides another in its group can only lower the kill rate. A few sites whose results are not
 * stored meet all checks, reached or not.
 */
export function mutantsOfCode(): Source<GeneratedKill> {
  const sites = [...instrumentedAll().values()].flatMap((source) => source.sites);
  return {
    name: "code",
    subjects: sites.map(({ id, file }) => ({ id, names: [file, file.split("/")[0]!] })),
    async prove(ids, { publish = false }, onResult) {
      const isRecorded = publish || ids.length > maxUnrecorded;
      const reaching = isRecorded ? checksBySite(await coverage()) : null;
      const manner: Manner = isRecorded
        ? { sizes: batches, leastMs: 0 }
        : { sizes: [Infinity], leastMs: 4 * (await wholeRunMs()) };
      const wanted = new Set(ids);
      const lived = new Set(readResults("code").survived);
      const reasons = reasonsOf("code");
      const mayLive = ({ id, checks }: Reached): boolean =>
        checks.length > 0 && lived.has(id) && reasonOf(id, reasons) !== null;
      const reached = sites
        .map(({ id, file }, number): Reached => ({
          ...{ id, number, file },
          checks: reaching === null ? allChecks : (reaching.get(number) ?? []),
        }))
        .filter(({ id }) => wanted.has(id));
      const singles = reached.filter((site) => !mayLive(site)).map((site) => [site]);
      return workerPool(
        [...singles, ...grouped(reached.filter(mayLive))],
        worker,
        async (group, one) => {
          const allLive = group.length > 1 && (await liveTogether(group, one, manner));
          const kills: (GeneratedKill | null)[] = [];
          for (const site of group) {
            const kill = allLive ? survivorAt(site) : await killSite(site, one, manner);
            kills.push(kill);
            if (kill !== null) onResult(kill);
          }
          if (kills.includes(null)) throw new Error("the unaltered server cannot be judged in time either");
        },
        (group) => group.map(({ id }) => id).join(", "),
      );
    },
    becameOf: (kill) => ({ ...kill, fate: fateOf(kill) }),
    minKilled: 0.95,
  };
}

const survivorAt = ({ id, checks }: Reached): GeneratedKill => ({
  id,
  met: checks.length,
  killed_by: [],
  blocked: [],
});

/** How sites meet their checks: how many at a time, and the least time limit. */
interface Manner {
  sizes: readonly number[];
  leastMs: number;
}

/** How long the whole suite takes on the unaltered server, in milliseconds: machines differ, and are busy. */
async function wholeRunMs(): Promise<number> {
  const workerProcess = worker();
  try {
    await workerProcess.perform({ kind: "mutants", sites: [], checks: [] }, coverageMs);
    const begun = performance.now();
    await workerProcess.perform({ kind: "mutants", sites: [], checks: allChecks }, coverageMs);
    return performance.now() - begun;
  } finally {
    workerProcess.close();
  }
}

/** Whether every check that reaches one of some sites passes on a server in which all of them are broken. */
async function liveTogether(
  group: readonly Reached[],
  worker: Worker<CodeJob, CodeOutcome>,
  { leastMs }: Manner,
): Promise<boolean> {
  const checks = [...new Set(group.flatMap((site) => site.checks))];
  const withinMs = Math.max(leastMs, deadlineMs(checks.length));
  const outcome = await judged(group, checks, withinMs, worker);
  return outcome !== null && outcome.killed_by.length + outcome.unsound.length + outcome.blocked.length === 0;
}

/** The sites that each check reaches on the whole server. */
async function coverage(): Promise<Coverage> {
  const workerProcess = worker();
  try {
    return (await workerProcess.perform({ kind: "coverage" }, coverageMs)) as Coverage;
  } finally {
    workerProcess.close();
  }
}

/** The result for one broken site; null when the machine is too slow to tell. */
async function killSite(
  site: Reached,
  worker: Worker<CodeJob, CodeOutcome>,
  { sizes, leastMs }: Manner,
): Promise<GeneratedKill | null> {
  const { id } = site;
  const met = site.checks.length;
  const waiting = [...site.checks];
  const blocked: string[] = [];
  const unsound: string[] = [];
  for (const size of sizes) {
    const some = waiting.splice(0, size);
    if (some.length === 0) break;
    const withinMs = Math.max(leastMs, deadlineMs(some.length));
    // On a busy machine even a sound server is late, especially in a process that has yet to start.
    const outcome =
      (await judged([site], some, withinMs, worker)) ?? (await judged([site], some, 3 * withinMs, worker));
    if (outcome === null) {
      const right = await judged([], some, 3 * withinMs, worker);
      if (right === null) return null;
      // The run also ends when no answer is of this API, as a client would notice immediately.
      return { id, met, killed_by: ["the server dies or hangs, or cannot be judged"], blocked: [] };
    }
    if (outcome.killed_by.length > 0) return { id, met, killed_by: outcome.killed_by, blocked: [] };
    blocked.push(...outcome.blocked);
    unsound.push(...outcome.unsound);
  }
  return { id, met, killed_by: [], blocked, ...(unsound.length > 0 && { unsound }) };
}

/** The result of some checks on a server with some broken sites; null when it cannot be judged in time. */
async function judged(
  broken: readonly Reached[],
  checks: readonly string[],
  withinMs: number,
  worker: Worker<CodeJob, CodeOutcome>,
): Promise<Judged | null> {
  const sites = broken.map(({ number }) => number);
  const outcome = await worker.perform({ kind: "mutants", sites, checks }, withinMs).catch(() => null);
  return outcome !== null && "killed_by" in outcome ? outcome : null;
}

/** For each site, the checks that reach it, the most specific first. */
function checksBySite({ atStart, reached }: Coverage): ReadonlyMap<number, string[]> {
  const bySite = new Map<number, string[]>();
  const smallestFirst = Object.entries(reached).sort(([, one], [, other]) => one.length - other.length);
  for (const [check, sites] of smallestFirst) {
    // Every check depends on what is executed when the server starts.
    for (const site of new Set([...sites, ...atStart])) {
      const checks = bySite.get(site);
      if (checks) checks.push(check);
      else bySite.set(site, [check]);
    }
  }
  return bySite;
}
