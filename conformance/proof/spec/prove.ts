import { crew } from "../crew.ts";
import type { Generated } from "../generated.ts";
import { jobMs, judgingWorker } from "../jobs.ts";
import { dispositionsOf } from "../dispositions.ts";
import { specMutants } from "./index.ts";

/** The mutants derived from the spec. */
export const mutantsOfSpec: Generated = {
  source: "spec",
  mutants: specMutants.map(({ id, operation, family }) => ({ id, names: [operation, family] })),
  dispositions: dispositionsOf("spec"),
  async prove(ids, onKill) {
    const indices = new Map(specMutants.map(({ id }, index) => [id, index]));
    await crew(ids, judgingWorker, async (id, worker) => {
      const outcome = await worker
        .perform({ kind: "spec", index: indices.get(id)! }, jobMs)
        .catch((error: Error) => error.message);
      if (typeof outcome === "string") onKill({ id, killed_by: [], met: 1, blocked: [outcome] });
      else if (outcome.kind === "spec") onKill(outcome.kill);
    });
  },
};
