import { clauses } from "../../../generated/clauses.ts";
import { checks } from "../../suite/checks.ts";
import { rules } from "../../suite/rules.ts";
import { proveByJobs, type JobSubject } from "../jobs.ts";
import type { GeneratedKill } from "../kill.ts";
import { fateOf } from "../report.ts";
import type { Source } from "../source.ts";
import { readKillers, readResults, unproved } from "../store.ts";
import { specMutants } from "./index.ts";
import type { SpecMutant } from "./mutant.ts";

const subjects = specSubjects();

/** The mutants derived from the spec. */
export const mutantsOfSpec: Source<GeneratedKill> = {
  name: "spec",
  subjects,
  prove: proveByJobs(subjects, (outcome) => (outcome as { kill: GeneratedKill }).kill),
  becameOf: (kill) => ({ ...kill, fate: fateOf(kill) }),
};

/** The mutants with the words that find them: what and where they break, and the clauses that this concerns. */
function specSubjects(): JobSubject[] {
  const killers = readKillers();
  const judges = Map.groupBy([...checks, ...rules], ({ id }) => killers[id]);
  const ids = specMutants.map(({ id }) => id);
  const isNew = new Set(unproved(readResults("spec"), ids));
  return specMutants.map((mutant, index) => ({
    id: mutant.id,
    names: [
      ...new Set([
        mutant.family,
        ...mutant.id.split(" ").flatMap((word) => [word, ...word.split(".")]),
        ...(mutant.clauses ?? []),
        ...(judges.get(mutant.id) ?? []).flatMap((judge) => judge.clauses),
        // Nobody knows yet which clause a new one breaks; it may be any about its operation.
        ...(isNew.has(mutant.id) ? clausesAbout(mutant) : []),
      ]),
    ],
    jobOf({ barren = false, whole = false, publish = false }) {
      return { kind: "spec", index, barren, whole, brief: !barren && !whole && !publish };
    },
  }));
}

function clausesAbout({ operation }: SpecMutant): string[] {
  return clauses.flatMap(({ id, ...clause }) =>
    "operation" in clause && ([clause.operation].flat() as string[]).includes(operation) ? [id] : [],
  );
}
