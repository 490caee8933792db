import { switchOn, takeReached } from "./switch.ts";

/** What the parent asks for: the sites that each check reaches, or the fate of one site that some checks meet. */
export type CodeJob = { kind: "coverage" } | { kind: "site"; number: number; checks: readonly string[] };

/** The sites that run when the server starts, and those that run while each check asks. */
export interface Coverage {
  atStart: readonly number[];
  reached: Readonly<Record<string, readonly number[]>>;
}

/** Where the suite goes; or the checks and rules that turned red. */
export type CodeOutcome = Coverage | { killed_by: string[]; blocked: string[] };

// The server must not be loaded before its sources are instrumented.
const { openStage } = await import("../stage.ts");
const { checks } = await import("../../suite/checks.ts");
const { rules } = await import("../../suite/rules.ts");
const { run } = await import("../../runner/run.ts");
const stage = await openStage();

/** A server of its own for each site: a broken one may spoil its books. */
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
      run({ ...profile, audit_lag: 1, mail_lag: 2 }, { checks: met, rules, fast: true, anyKind: true }),
    );
    const idsOf = (...verdicts: string[]): string[] =>
      findings.filter(({ verdict }) => verdicts.includes(verdict)).map(({ id }) => id);
    return { killed_by: idsOf("fail", "warn"), blocked: idsOf("blocked", "error") };
  } finally {
    switchOn(-1);
  }
}

process.on("message", (job: CodeJob) => {
  perform(job).then(
    (outcome) => process.send!({ outcome }),
    (error: unknown) => process.send!({ error: error instanceof Error ? error.stack : String(error) }),
  );
});
process.on("disconnect", () => void stage.close().finally(() => process.exit(0)));
