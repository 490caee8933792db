import { fork, type ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { extname } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { readDispositions } from "../dispositions.ts";
import type { GeneratedKill } from "../generated.ts";
import { instrumentedAll, type Site } from "./sites.ts";
import type { CodeJob, CodeOutcome, Coverage } from "./worker.ts";

/** Why some mutants from the code may survive. */
export const dispositionsOfCode = readDispositions(new URL("dispositions.yaml", import.meta.url));

/** Every site, by id. */
export const siteIds = (): string[] =>
  [...instrumentedAll().values()].flatMap(({ sites }) => sites.map(({ id }) => id));

/** Time limit of the run that records which checks reach which sites. */
const coverageMs = 1_800_000;

/** Time limit of the checks on one mutant: a broken loop may never end. */
const deadlineMs = (checks: number): number => 20_000 + 300 * checks;

/** Checks run against a mutant concurrently; the first failure ends it. */
const batches = [12, 60, Infinity];

/** A process that does jobs one after another; it is replaced if it hangs or dies. */
class Worker {
  #child: ChildProcess | undefined;

  /** @returns the result; null when the process died or timed out */
  async perform(job: CodeJob, withinMs: number): Promise<CodeOutcome | null> {
    // Ignore the output of a broken server.
    const child = (this.#child ??= fork(new URL(`worker${extname(import.meta.url)}`, import.meta.url), {
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    }));
    const over = new AbortController();
    const { signal } = over;
    child.send(job);
    const answer = (await Promise.race([
      once(child, "message", { signal }),
      once(child, "exit", { signal }).then(() => null),
      after(withinMs, null, { signal }),
    ])) as [{ outcome: CodeOutcome } | { error: string }] | null;
    over.abort();
    if (answer !== null && "outcome" in answer[0]) return answer[0].outcome;
    child.kill("SIGKILL");
    this.#child = undefined;
    return null;
  }

  close(): void {
    if (this.#child?.connected) this.#child.disconnect();
  }
}

/** Selects the sites to break. */
export interface Choice {
  /** Files or folders below reference-server; empty means all. */
  only: readonly string[];
  /** Approximate number, sampled by the seed. */
  sample: number;
  seed: string;
  /** Ids of sites to skip. */
  except: ReadonlySet<string>;
}

/** Breaks the server's sources site by site, and runs the checks that reach each site. */
export async function proveCode(
  choice: Choice,
  onKill: (kill: GeneratedKill, done: number, total: number) => void,
): Promise<GeneratedKill[]> {
  const chosen = drawn(
    [...instrumentedAll().values()].flatMap((one) => one.sites).map((site, number) => ({ site, number })),
    choice,
  );
  const workers = Array.from({ length: Math.min(availableParallelism(), chosen.length) }, () => new Worker());
  try {
    const coverage = await workers[0]!.perform({ kind: "coverage" }, coverageMs);
    if (coverage === null || !("reached" in coverage))
      throw new Error("the suite did not end on the whole server");
    const reaching = checksBySite(coverage);
    const kills: GeneratedKill[] = [];
    const queue = [...chosen];
    const work = async (worker: Worker): Promise<void> => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        const kill = await killSite(next, reaching.get(next.number) ?? [], worker);
        kills.push(kill);
        onKill(kill, kills.length, chosen.length);
      }
    };
    await Promise.all(workers.map(work));
    return kills;
  } finally {
    for (const worker of workers) worker.close();
  }
}

interface Numbered {
  site: Site;
  number: number;
}

async function killSite(
  { site, number }: Numbered,
  checks: readonly string[],
  worker: Worker,
): Promise<GeneratedKill> {
  const { id } = site;
  const waiting = [...checks];
  const blocked: string[] = [];
  for (const size of batches) {
    const some = waiting.splice(0, size);
    if (some.length === 0) break;
    const outcome = await worker.perform({ kind: "site", number, checks: some }, deadlineMs(some.length));
    if (outcome === null || !("killed_by" in outcome)) {
      return { id, met: checks.length, killed_by: ["the server dies or hangs"], blocked: [] };
    }
    if (outcome.killed_by.length > 0)
      return { id, met: checks.length, killed_by: outcome.killed_by, blocked: [] };
    blocked.push(...outcome.blocked);
  }
  return { id, met: checks.length, killed_by: [], blocked };
}

/** For each site, the checks that reach it, the most specific first. */
function checksBySite({ atStart, reached }: Coverage): ReadonlyMap<number, string[]> {
  const bySite = new Map<number, string[]>();
  const smallestFirst = Object.entries(reached).sort(([, one], [, other]) => one.length - other.length);
  for (const [check, sites] of smallestFirst) {
    // Every check depends on code that runs at server start.
    for (const site of new Set([...sites, ...atStart])) {
      bySite.set(site, [...(bySite.get(site) ?? []), check]);
    }
  }
  return bySite;
}

/** A sample of the sites, chosen by a hash of seed and id, and so the same for the same seed. */
function drawn(all: readonly Numbered[], { only, sample, seed, except }: Choice): Numbered[] {
  const lot = ({ site }: Numbered): string => createHash("sha256").update(`${seed} ${site.id}`).digest("hex");
  return all
    .filter(({ site }) => only.length === 0 || only.some((name) => site.file.startsWith(name)))
    .filter(({ site }) => !except.has(site.id))
    .map((one) => ({ one, lot: lot(one) }))
    .sort((one, other) => (one.lot < other.lot ? -1 : 1))
    .slice(0, sample)
    .map(({ one }) => one);
}
