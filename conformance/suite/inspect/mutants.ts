import { takingForEvents } from "../../changes/audit-query.ts";
import { mutantsOf, onBody, onEach, onFields, onPart } from "../../changes/mutant.ts";

export const mutants = mutantsOf({
  "INSP-02": { "returns a negative elapsed_time_ms": onFields("inspect", { elapsed_time_ms: -1 }) },
  "INSP-05": {
    "shows no examples, although Discover does": onEach("inspect", "results", { examples: undefined }),
  },
  "INSP-08": {
    "returns some other tool for an unknown tool_id": onPart("catalog", (catalog) => ({
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
    "charges a little for every Inspect": takingForEvents("search_by_ids"),
    "returns fewer remaining credits after each Inspect": (() => {
      let taken = 0;
      return onBody("inspect", (body) => {
        taken += 0.01;
        return { ...body, remaining_credits: Number(body["remaining_credits"]) - taken };
      });
    })(),
  },
});
