import { clauses } from "../../../generated/clauses.ts";
import { checks } from "../../suite/checks.ts";
import { rules } from "../../suite/rules.ts";
import { becameOf, reportOf, type GeneratedKill } from "../generated.ts";
import { performAll } from "../jobs.ts";
import { readKillers } from "../killers.ts";
import { readResults, unproved } from "../results.ts";
import type { Source, Subject } from "../source.ts";
import { specMutants } from "./index.ts";
import type { SpecMutant } from "./mutant.ts";

const indices = new Map(specMutants.map(({ id }, index) => [id, index]));

/** The mutants derived from the spec. */
export const mutantsOfSpec: Source<GeneratedKill> = {
  name: "spec",
  subjects: specSubjects(),
  async prove(ids, { barren = false, whole = false, publish = false }, onResult, onFailure) {
    const manner = { barren, whole, brief: !barren && !whole && !publish };
    await performAll(
      ids,
      (id) => ({ kind: "spec", index: indices.get(id)!, ...manner }),
      (outcome) => onResult((outcome as { kill: GeneratedKill }).kill),
      onFailure,
    );
  },
  becameOf,
  report: reportOf("spec"),
};

/** The mutants with the words that find them: what and where they break, and the clauses that this concerns. */
function specSubjects(): Subject[] {
  const killers = readKillers();
  const judges = Map.groupBy([...checks, ...rules], ({ id }) => killers[id]);
  const isNew = new Set(
    unproved(
      readResults("spec"),
      specMutants.map(({ id }) => id),
    ),
  );
  return specMutants.map((one) => ({
    id: one.id,
    names: [
      ...new Set([
        one.family,
        ...one.id.split(" ").flatMap((word) => [word, ...word.split(".")]),
        ...(one.clauses ?? []),
        ...(judges.get(one.id) ?? []).flatMap((judge) => judge.clauses),
        // Nobody knows yet which clause a new one breaks; it may be any about its operation.
        ...(isNew.has(one.id) ? clausesAbout(one) : []),
      ]),
    ],
  }));
}

function clausesAbout({ operation }: SpecMutant): string[] {
  return clauses.flatMap(({ id, ...clause }) =>
    "operation" in clause && ([clause.operation].flat() as string[]).includes(operation) ? [id] : [],
  );
}
