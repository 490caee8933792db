import { together } from "../../changes/mutant.ts";
import { agentFinding, agentPage } from "../../report/agent.ts";
import { causesOf, type Cause } from "../../report/causes.ts";
import { reportOf } from "../../report/report.ts";
import { run } from "../../run/run.ts";
import { checks } from "../../suite/checks.ts";
import { rules } from "../../suite/rules.ts";
import type { Stage } from "../stage.ts";
import { drawn } from "../part.ts";
import { faults } from "./fault.ts";

/** The number of checks in a run: a random part of them, so that a server takes seconds. */
const checksOfARun = 150;

/** One run against an unfinished server. */
export interface Round {
  /** The findings that lead the causes, in their order. */
  leads: string[];
  /** The causes that name no fault of the server. */
  strays: string[];
  /** Faults that more than one cause names as its only fault; a cause that names two may be the other's. */
  split: string[];
  /** The fault that the first cause names; null when it names none. */
  mended: string | null;
  /** Characters of the first page for agents, and of its longest finding. */
  page: number;
  longest: number;
  seconds: number;
}

/** The result for an unfinished server whose owner fixes only what the first finding names. */
export interface Mending {
  faults: string[];
  rounds: Round[];
  isGreen: boolean;
}

/** Judges a server with some faults, and again without the one that the first finding names, until nothing fails. */
export async function mend(indices: readonly number[], seed: string, stage: Stage): Promise<Mending> {
  const some = drawn(checks, ({ id }) => id, { sample: checksOfARun, seed });
  const left = new Set(indices.map((index) => faults[index]!));
  const names = [...left].map(({ name }) => name);
  const rounds: Round[] = [];
  for (;;) {
    const change = together(...[...left].map((fault) => fault.change));
    const began = performance.now();
    const { judged, profile } = await stage.perform(change, async (profile) => ({
      profile,
      judged: await run(profile, { checks: some, rules, fast: true, anyKind: true }),
    }));
    const seconds = Math.round((performance.now() - began) / 1000);
    const causes = causesOf(judged.findings, judged);
    const namedBy = (cause: Cause) =>
      [...left].filter((fault) =>
        fault.isNamedBy(
          cause,
          judged.findings.find(({ id }) => id === cause.lead)!,
        ),
      );
    const named = causes.map(namedBy);
    const [mended] = named[0] ?? [];
    const report = reportOf(judged, profile);
    rounds.push({
      leads: causes.map(({ lead, what }) => `${lead}: ${what}`),
      strays: causes.filter((_, at) => named[at]!.length === 0).map(({ lead, what }) => `${lead}: ${what}`),
      split: [...left]
        .filter((fault) => named.filter((some) => some.length === 1 && some.includes(fault)).length > 1)
        .map(({ name }) => name),
      mended: mended?.name ?? null,
      page: agentPage(report, "report.json").length,
      longest: Math.max(0, ...causes.map((cause) => agentFinding(report, cause).length)),
      seconds,
    });
    if (mended === undefined) return { faults: names, rounds, isGreen: causes.length === 0 };
    left.delete(mended);
  }
}
