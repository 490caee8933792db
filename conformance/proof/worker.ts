import { findAbilities, impostorTrial, type Abilities } from "./impostors/impostor.ts";
import { together, type Change } from "../changes/mutant.ts";
import { impostors } from "./impostors/index.ts";
import { serveJobs } from "./worker-pool.ts";
import type { Job, Outcome } from "./jobs.ts";
import { blindOf, findWitnesses, kill, type Witnesses } from "./kill.ts";
import { mutants } from "./mutants.ts";
import { specMutants } from "./spec/index.ts";
import type { SpecMutant } from "./spec/mutant.ts";
import { killSpec } from "./spec/judge.ts";
import { openStage } from "./stage.ts";
import { judgedSingly } from "./lawful/single.ts";
import { lawfulChange, points, type Point } from "./lawful/index.ts";
import { trialOf } from "./lawful/trial.ts";
import { mend } from "./triage/mend.ts";
import { trial, ways } from "./trial.ts";
import { variations } from "./variations/index.ts";

const stage = await openStage();
let witnesses: Promise<Witnesses> | undefined;
let abilities: Promise<Abilities> | undefined;

async function perform(job: Job): Promise<Outcome> {
  switch (job.kind) {
    case "mutant": {
      const known = (): Promise<Witnesses> => (witnesses ??= findWitnesses(stage));
      const mutant = mutants[job.index]!;
      const killed = await kill(mutant, stage, known, job);
      const named = { name: `${mutant.clause} ${mutant.name}`, change: mutant.change };
      const blind = job.barren ? { blind: await blindOf(named, killed.killed_by, stage) } : {};
      return { kind: "mutant", kill: { ...killed, ...blind } };
    }
    case "variation":
      return {
        kind: "variation",
        trial: await trial(variations[job.index]!, stage, {
          fast: job.fast,
          by: job.everywhere ? ways : ["profile"],
        }),
      };
    case "points":
      return { kind: "points", trial: await trialOf(job, stage) };
    case "single":
      return {
        kind: "single",
        results: await judgedSingly(
          job.points.map((index) => points[index]!),
          stage,
        ),
      };
    case "unfinished":
      return { kind: "unfinished", mending: await mend(job.faults, job.seed, stage) };
    case "spec": {
      const { index, point, ...manner } = job;
      const lawful = point === undefined ? undefined : lawfulOf(points[point]!);
      const mutant = beside(specMutants[index]!, lawful?.change);
      const killed = await killSpec(mutant, stage, { ...manner, lawful });
      const named = { name: mutant.id, change: mutant.change };
      const blind = job.barren ? { blind: await blindOf(named, killed.killed_by, stage) } : {};
      return { kind: "spec", kill: { ...killed, ...blind } };
    }
    case "impostor": {
      const asked = await (abilities ??= findAbilities(stage));
      return { kind: "impostor", trial: await impostorTrial(impostors[job.index]!, stage, asked) };
    }
  }
}

const lawfulOf = (point: Point): { name: string; change: Change } => ({
  name: point.id,
  change: lawfulChange([point]),
});

/** The mutant on a server that also differs lawfully. */
const beside = (mutant: SpecMutant, lawful: Change | undefined): SpecMutant =>
  lawful === undefined ? mutant : { ...mutant, change: together(mutant.change, lawful) };

serveJobs(perform, () => stage.close());
