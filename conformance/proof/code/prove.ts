import { extname } from "node:path";
import { crew, Worker } from "../crew.ts";
import { dispositionsOf } from "../dispositions.ts";
import type { Generated, GeneratedKill } from "../generated.ts";
import { instrumentedAll } from "./sites.ts";
import type { CodeJob, CodeOutcome, Coverage } from "./worker.ts";

/** Time limit of the run that records which checks reach which sites. */
const coverageMs = 1_800_000;

/** Time limit of the checks on one mutant: a broken loop may never end. */
const deadlineMs = (checks: number): number => 5_000 + 100 * checks;

/** Checks run against a mutant concurrently; the first failure ends it. */
const batches = [12, 60, Infinity];

// The output of a broken server tells nothing.
const worker = (): Worker<CodeJob, CodeOutcome> =>
  new Worker(new URL(`worker${extname(import.meta.url)}`, import.meta.url), "ignore");

/** The mutants of the server's sources: each site is broken by itself, and judged by the checks that reach it. */
export function mutantsOfCode(): Generated {
  const sites = [...instrumentedAll().values()].flatMap((one) => one.sites);
  const numbers = new Map(sites.map(({ id }, number) => [id, number]));
  return {
    source: "code",
    mutants: sites.map(({ id }) => ({ id, names: [] })),
    dispositions: dispositionsOf("code"),
    async prove(ids, onKill) {
      const reaching = checksBySite(await coverage());
      await crew(ids, worker, async (id, one) => {
        const number = numbers.get(id)!;
        onKill(await killSite({ id, number }, reaching.get(number) ?? [], one));
      });
    },
  };
}

/** The sites that each check reaches on the whole server. */
async function coverage(): Promise<Coverage> {
  const one = worker();
  try {
    return (await one.perform({ kind: "coverage" }, coverageMs)) as Coverage;
  } finally {
    one.close();
  }
}

async function killSite(
  { id, number }: { id: string; number: number },
  checks: readonly string[],
  worker: Worker<CodeJob, CodeOutcome>,
): Promise<GeneratedKill> {
  const met = checks.length;
  const waiting = [...checks];
  const blocked: string[] = [];
  for (const size of batches) {
    const some = waiting.splice(0, size);
    if (some.length === 0) break;
    const perform = async (withinMs: number) => {
      const outcome = await worker
        .perform({ kind: "site", number, checks: some }, withinMs)
        .catch(() => null);
      return outcome !== null && "killed_by" in outcome ? outcome : null;
    };
    // On a busy machine a whole server is late too, the more so in a process that has yet to start.
    const outcome = (await perform(deadlineMs(some.length))) ?? (await perform(3 * deadlineMs(some.length)));
    if (outcome === null) {
      // The run also ends where no answer is one of this API, as a client would learn at once.
      return { id, met, killed_by: ["the server dies or hangs, or cannot be judged"], blocked: [] };
    }
    if (outcome.killed_by.length > 0) return { id, met, killed_by: outcome.killed_by, blocked: [] };
    blocked.push(...outcome.blocked);
  }
  return { id, met, killed_by: [], blocked };
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
