import type { Check } from "../../run/check.ts";
import type { Finding } from "../../judge/finding.ts";
import type { Profile } from "../../server/profile.ts";
import { serveJobs } from "../worker-pool.ts";
import type { Contract } from "../../../reference-server/http/contract.ts";
import type { Change } from "../../changes/mutant.ts";
import type { Site } from "./sites.ts";
import { sites, switchOn, takeReached } from "./switch.ts";

/** A job from the parent: find the sites that each check reaches, or judge a server with some mutants by some checks. */
export type CodeJob =
  { kind: "coverage" } | { kind: "mutants"; sites: readonly number[]; checks: readonly string[] };

/** The sites executed at the start of a server, and those that each check may depend on. */
export interface Coverage {
  atStart: readonly number[];
  reached: Readonly<Record<string, readonly number[]>>;
}

/** The coverage of the suite, the checks and rules that failed, or why the server could not be judged. */
export type CodeOutcome = Coverage | Judged | { failed: string };

/** The result for some broken sites. */
export interface Judged {
  /** Checks and rules that fail, and pass on the unaltered server. */
  killed_by: string[];
  blocked: string[];
  /** Checks and rules that fail, and do not pass there: they prove nothing. */
  unsound: string[];
}

// The sources must be instrumented before the server is loaded.
const { openStage } = await import("../stage.ts");
const { checks } = await import("../../suite/checks.ts");
const { rules } = await import("../../suite/rules.ts");
const { run } = await import("../../run/run.ts");
const { createContract } = await import("../../../reference-server/http/contract.ts");
const { readSpec } = await import("../../../reference-server/http/published-operations.ts");
const stage = await openStage();

/** The sources of a contract, which compiles its schemas on first use: a mutant in them would persist. */
const contractFiles = ["http/contract.ts", "http/errors.ts", "http/published-operations.ts"];

const newContract = (): Contract => createContract(readSpec());
const commonContract = newContract();

/** A separate server, since a broken one may corrupt its books; and a separate contract where it may stay broken. */
const ownServer = (broken: readonly Site[]): Change => ({
  contract: broken.some(({ file }) => contractFiles.includes(file)) ? newContract() : commonContract,
});

/**
 * Each area's checks run twice on a server for that area. Code that only the first run reaches is executed once, by
 * whichever check is first, and its result kept, so every check of the area may depend on it.
 */
async function coverage(): Promise<Coverage> {
  const areas = Object.groupBy(checks, ({ clauses }) => clauses[0]!.replace(/-.*/, ""));
  const atStart = new Set<number>();
  const reached: Record<string, readonly number[]> = {};
  for (const some of Object.values(areas)) {
    takeReached();
    await stage.perform({ contract: newContract() }, async (profile) => {
      for (const site of takeReached()) atStart.add(site);
      const first = await reachedByCheck(profile, some!);
      const again = new Set(Object.values(await reachedByCheck(profile, some!)).flat());
      const kept = Object.values(first)
        .flat()
        .filter((site) => !again.has(site));
      for (const [id, sites] of Object.entries(first)) reached[id] = [...new Set([...sites, ...kept])];
    });
  }
  return { atStart: [...atStart], reached };
}

async function reachedByCheck(profile: Profile, some: readonly Check[]): Promise<Coverage["reached"]> {
  const reached: Record<string, number[]> = {};
  await run(profile, {
    checks: some,
    rules: [],
    fast: true,
    anyKind: true,
    concurrency: 1,
    onFinding: ({ id }) => (reached[id] = takeReached()),
  });
  return reached;
}

async function findingsOf(checkIds: readonly string[], server: Change): Promise<readonly Finding[]> {
  const met = checks.filter(({ id }) => checkIds.includes(id));
  const { findings } = await stage.perform(server, (profile) =>
    run({ ...profile, audit_lag: 1, mail_lag: 2 }, { checks: met, rules, fast: true }),
  );
  return findings;
}

/** The checks and rules that have passed on the unaltered server. */
const passed = new Set<string>();

/**
 * Those of some failed checks and rules that pass on the unaltered server.
 * @param met the checks that were performed, whose traffic the rules judge
 */
async function passOnUnaltered(red: readonly string[], met: readonly string[]): Promise<Set<string>> {
  const isCheck = (id: string): boolean => checks.some((check) => check.id === id);
  // On a busy machine a right server may be late once.
  for (let attempt = 1; attempt <= 2 && red.some((id) => !passed.has(id)); attempt += 1) {
    const open = red.filter((id) => !passed.has(id));
    const findings = await findingsOf(open.every(isCheck) ? open : met, ownServer([]));
    for (const { id, verdict } of findings) if (verdict === "pass") passed.add(id);
  }
  return new Set(red.filter((id) => passed.has(id)));
}

async function perform(job: CodeJob): Promise<CodeOutcome> {
  if (job.kind === "coverage") return coverage();
  switchOn(job.sites);
  try {
    const findings = await findingsOf(job.checks, ownServer(job.sites.map((number) => sites[number]!)));
    const idsOf = (...verdicts: string[]): string[] =>
      findings.filter(({ verdict }) => verdicts.includes(verdict)).map(({ id }) => id);
    const red = idsOf("fail", "warn");
    switchOn([]);
    const passing = await passOnUnaltered(red, job.checks);
    return {
      killed_by: red.filter((id) => passing.has(id)),
      blocked: idsOf("blocked", "error"),
      unsound: red.filter((id) => !passing.has(id)),
    };
  } catch (error) {
    return { failed: String(error) };
  } finally {
    switchOn([]);
  }
}

serveJobs(perform, () => stage.close());
