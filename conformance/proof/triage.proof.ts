import { expect, it } from "vitest";
import { causesOf, culpritOf } from "../report/causes.ts";
import { run } from "../run/run.ts";
import { select } from "../run/select.ts";
import { checks } from "../suite/checks.ts";
import { rules } from "../suite/rules.ts";
import { mutants } from "./mutants.ts";
import { openStage } from "./stage.ts";

const seed = Number(process.env["TRIAGE_SEED"] ?? 1);
const count = Number(process.env["TRIAGE_COUNT"] ?? 24);

/** The mutants of a sample: every n-th, from a beginning that the seed chooses. */
const step = Math.max(1, Math.floor(mutants.length / count));
const sample = mutants.filter((_, index) => index % step === seed % step).slice(0, count);

/*
 * The mutant's operations are those at whose answers the findings of its own clause point. A run judges the area of the
 * clause alone.
 */
it(`names a known cause first: ${count} mutants, TRIAGE_SEED=${seed}`, { timeout: 1_800_000 }, async () => {
  const stage = await openStage();
  const missed: string[] = [];
  let [red, byClause] = [0, 0];
  try {
    for (const { clause, name, change } of sample) {
      const [area] = clause.split("-");
      await stage.perform(change, async (profile) => {
        const judged = await run(profile, { ...select(checks, rules, [area!]), fast: true });
        const [first] = causesOf(judged.findings, judged);
        if (first === undefined) return;
        const own = judged.findings.filter((finding) => finding.clauses.includes(clause));
        const places = own.map((finding) => culpritOf(finding)?.operation ?? null);
        const lead = judged.findings.find(({ id }) => id === first.lead)!;
        const operation = culpritOf(lead)?.operation;
        red += 1;
        if (first.clauses.includes(clause)) byClause += 1;
        else if (operation == null || !places.includes(operation))
          missed.push(`${clause} ${name}: ${first.lead}`);
      });
    }
  } finally {
    await stage.close();
  }
  console.log(
    `Of ${red} mutants that turn something red the first cause cites the clause of ${byClause}, ` +
      `and the clause or the operation at fault of ${red - missed.length}`,
    missed,
  );
  expect(red).toBeGreaterThan(0);
  expect(missed.length / red).toBeLessThanOrEqual(0.05);
});
