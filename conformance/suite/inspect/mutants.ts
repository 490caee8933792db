import { takingForEvents } from "../../changes/audit-query.ts";
import { mutantsOf, onBody, onEach, onFields, onPart } from "../../changes/mutant.ts";

export const mutants = mutantsOf({
  "INSP-02": { "answers a negative elapsed_time_ms": onFields("inspect", { elapsed_time_ms: -1 }) },
  "INSP-05": {
    "knows no examples that Discover knows": onEach("inspect", "results", { examples: undefined }),
  },
  "INSP-08": {
    "answers an unknown id with the nearest tool": onPart("catalog", (catalog) => ({
      tools: catalog.tools,
      search: (query, limit) => catalog.search(query, limit),
      capability: (id) => catalog.capability(id),
      find: (id) => catalog.find(id) ?? catalog.search("weather", 1)[0],
    })),
  },
  "INSP-09": {
    "counts only the first tool": onFields("inspect", {
      total: (total: unknown) => Math.min(1, Number(total)),
    }),
  },
  "INSP-18": {
    "takes a little of every Inspect": takingForEvents("search_by_ids"),
    "answers less credits after each Inspect than before it": (() => {
      let taken = 0;
      return onBody("inspect", (body) => ({
        ...body,
        remaining_credits: Number(body["remaining_credits"]) - (taken += 0.01),
      }));
    })(),
  },
});
