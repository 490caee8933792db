import { workerPool } from "../worker-pool.ts";
import type { Generated } from "../generated.ts";
import { jobMs, judgingWorker } from "../jobs.ts";
import { dispositionsOf } from "../dispositions.ts";
import { checks } from "../../suite/checks.ts";
import { rules } from "../../suite/rules.ts";
import { readKillers } from "../killers.ts";
import { specMutants } from "./index.ts";

const killers = readKillers();
const judgesByMutant = Map.groupBy([...checks, ...rules], ({ id }) => killers[id]);

/** The clauses of the checks and rules that are known to kill a mutant. */
const clausesOf = (id: string): string[] => (judgesByMutant.get(id) ?? []).flatMap(({ clauses }) => clauses);

/** The mutants derived from the spec. */
export const mutantsOfSpec: Generated = {
  source: "spec",
  mutants: specMutants.map(({ id, operation, family }) => ({
    id,
    names: [operation, family, ...clausesOf(id)],
  })),
  dispositions: dispositionsOf("spec"),
  async prove(ids, onKill, { barren = false, whole = false, publish = false }) {
    const manner = { barren, whole, brief: !barren && !whole && !publish };
    const indices = new Map(specMutants.map(({ id }, index) => [id, index]));
    await workerPool(ids, judgingWorker, async (id, worker) => {
      const outcome = await worker
        .perform({ kind: "spec", index: indices.get(id)!, ...manner }, jobMs)
        .catch((error: Error) => error.message);
      if (typeof outcome === "string") onKill({ id, killed_by: [], met: 1, blocked: [outcome] });
      else if (outcome.kind === "spec") onKill(outcome.kill);
    });
  },
};
