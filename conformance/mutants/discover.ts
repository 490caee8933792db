import { mutant, onBody, onEach, onFields, type Body, type Mutant } from "./mutant.ts";

export const discover: Mutant[] = [
  mutant("DISC-01", "does not repeat the query", onFields("discover", { query: "something else" })),
  mutant("DISC-02", "answers an empty search_id", onFields("discover", { search_id: "" })),
  mutant("DISC-03", "answers total as a string", onFields("discover", { total: String })),
  mutant("DISC-04", "answers a negative elapsed_time_ms", onFields("discover", { elapsed_time_ms: -1 })),
  mutant(
    "DISC-05",
    "answers remaining_credits as a string",
    onFields("discover", { remaining_credits: String }),
  ),
  mutant("DISC-06", "counts fewer results than it returns", onFields("discover", { total: 0 })),
  mutant("DISC-07", "answers every search with one search_id", onFields("discover", { search_id: "srch_1" })),
  mutant(
    "DISC-08",
    "leaves tool_id out of the results",
    onEach("discover", "results", { tool_id: undefined }),
  ),
  mutant(
    "DISC-09",
    "returns its first result twice",
    onBody("discover", (body) => {
      const results = body["results"] as Body[];
      return { ...body, results: [...results, ...results.slice(0, 1)] };
    }),
  ),
];
