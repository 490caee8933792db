import { serveJobs } from "../crew.ts";
import { switchOn, takeReached } from "./switch.ts";

/** A job from the parent: find the sites that each check reaches, or judge the mutant of one site by some checks. */
export type CodeJob = { kind: "coverage" } | { kind: "site"; number: number; checks: readonly string[] };

/** The sites executed at server start, and those executed during each check. */
export interface Coverage {
  atStart: readonly number[];
  reached: Readonly<Record<string, readonly number[]>>;
}

/** The coverage of the suite, or the checks and rules that failed. */
export type CodeOutcome = Coverage | { killed_by: string[]; blocked: string[] };

// The sources must be instrumented before the server is loaded.
const { openStage } = await import("../stage.ts");
const { checks } = await import("../../suite/checks.ts");
const { rules } = await import("../../suite/rules.ts");
const { run } = await import("../../runner/run.ts");
const stage = await openStage();

/** Each site gets its own server, since a broken one may corrupt its books. */
const ownServer = { config: {} };

async function perform(job: CodeJob): Promise<CodeOutcome> {
  if (job.kind === "coverage") {
    const reached: Record<string, number[]> = {};
    let atStart: number[] = [];
    takeReached();
    await stage.perform(ownServer, (profile) => {
      atStart = takeReached();
      return run(profile, {
        checks,
        rules: [],
        fast: true,
        anyKind: true,
        concurrency: 1,
        onFinding: ({ id }) => (reached[id] = takeReached()),
      });
    });
    return { atStart, reached };
  }
  switchOn(job.number);
  try {
    const met = checks.filter(({ id }) => job.checks.includes(id));
    const { findings } = await stage.perform(ownServer, (profile) =>
      run({ ...profile, audit_lag: 1, mail_lag: 2 }, { checks: met, rules, fast: true }),
    );
    const idsOf = (...verdicts: string[]): string[] =>
      findings.filter(({ verdict }) => verdicts.includes(verdict)).map(({ id }) => id);
    return { killed_by: idsOf("fail", "warn"), blocked: idsOf("blocked", "error") };
  } finally {
    switchOn(-1);
  }
}

serveJobs(perform, () => stage.close());
