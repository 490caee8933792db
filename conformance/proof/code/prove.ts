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

/** Every site, by its id. */
export const siteIds = (): string[] =>
  [...instrumentedAll().values()].flatMap(({ sites }) => sites.map(({ id }) => id));

/** How long the run that learns which check reaches what may take. */
const coverageMs = 1_800_000;

/** How long some checks may take on a mutant: a broken loop never ends. */
const deadlineMs = (checks: number): number => 20_000 + 300 * checks;

/** Checks that meet a mutant at the same time; the first that turn red end it. */
const batches = [12, 60, Infinity];

/** A process that does one job after another; one that hangs or dies is replaced. */
class Worker {
  #child: ChildProcess | undefined;

  /** @returns what came of it; null when the process died or did not answer in time */
  async perform(job: CodeJob, withinMs: number): Promise<CodeOutcome | null> {
    // What a broken server prints is of no use to anybody.
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

/** Which sites are broken. */
export interface Choice {
  /** Files or folders below reference-server; all for none. */
  only: readonly string[];
  /** About how many, drawn by the seed. */
  sample: number;
  seed: string;
  /** Sites, by id, that are left out. */
  except: ReadonlySet<string>;
}

/** Breaks the server's sources, site by site, and lets each meet the checks that reach it. */
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

/** For each site the checks that reach it, those first that reach the fewest sites. */
function checksBySite({ atStart, reached }: Coverage): ReadonlyMap<number, string[]> {
  const bySite = new Map<number, string[]>();
  const smallestFirst = Object.entries(reached).sort(([, one], [, other]) => one.length - other.length);
  for (const [check, sites] of smallestFirst) {
    // What runs when the server starts is behind whatever is asked.
    for (const site of new Set([...sites, ...atStart])) {
      bySite.set(site, [...(bySite.get(site) ?? []), check]);
    }
  }
  return bySite;
}

/** Some of the sites, by a hash of seed and id: the same seed draws the same. */
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
