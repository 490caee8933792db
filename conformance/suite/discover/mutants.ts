import type { Request } from "../../../reference-server/http/operation.ts";
import type { Parts } from "../../../reference-server/parts.ts";
import { takingForEvents } from "../../changes/audit-query.ts";
import {
  answering,
  mutantsOf,
  onBody,
  onEach,
  onFields,
  onPart,
  onPath,
  reading,
  onStatus,
  withBody,
  type Body,
  type Change,
  onOperation,
} from "../../changes/mutant.ts";
import { noResults, withResults } from "../inspect/mutants.ts";

/** Changes every full result of a search; those of routing cards have no params. */
const onFullResults = (change: (result: Body) => Body): Change =>
  onPath("discover", "results.*", (result) =>
    "params" in (result as Body) ? change(result as Body) : result,
  );

const onCards = (change: (card: Body) => Body): Change =>
  onPath("discover", "results.*", (card) => ("cost_class" in (card as Body) ? change(card as Body) : card));

/** Answers 422 like a success, with results. */
const accepting = (field: string): Change =>
  onStatus("discover", 422, withBody(200, { ...noResults, query: "data" }), (_, { body }) =>
    body.includes(field),
  );

/** Changes the tools that a search finds, or their number. */
export const onSearch = (search: (catalog: Parts["catalog"]) => Parts["catalog"]["search"]): Change =>
  onPart("catalog", (catalog) => ({
    ...catalog,
    find: (id) => catalog.find(id),
    capability: (id) => catalog.capability(id),
    search: search(catalog),
  }));

/** The same where Discover is charged and the caller cannot pay. */
const onUnpaid = (fields: Record<string, unknown>): Change => ({
  config: { discoverPrice: 0.01 },
  ...onFields("discover", fields, 402),
});

/** Answers 422 to the requests whose body the predicate selects. */
const refusing = <Id extends "discover" | "inspect">(
  id: Id,
  chooses: (body: Request<Id>["body"]) => boolean,
): Change => answering(id, (answer, { body }) => (chooses(body) ? { ...answer, status: 422 } : answer));

export const mutants = mutantsOf({
  "DISC-46": {
    "does not repeat the query": onFields("discover", { query: "something else" }),
    "repeats the query in lower case": onFields("discover", {
      query: (query: unknown) => String(query).toLowerCase(),
    }),
  },
  "DISC-02": { "answers an empty search_id": onFields("discover", { search_id: "" }) },
  "DISC-03": {
    "answers total as a string": onFields("discover", { total: String }),
    "answers a total of -1": onFields("discover", { total: -1 }),
  },
  "DISC-04": { "answers a negative elapsed_time_ms": onFields("discover", { elapsed_time_ms: -1 }) },
  "DISC-05": { "answers remaining_credits as a string": onFields("discover", { remaining_credits: String }) },
  "DISC-06": { "counts fewer results than it returns": onFields("discover", { total: 0 }) },
  "DISC-07": { "answers every search with one search_id": onFields("discover", { search_id: "srch_1" }) },
  "DISC-08": {
    "leaves tool_id out of the results": onEach("discover", "results", { tool_id: undefined }),
    "answers an empty tool_id": onEach("discover", "results", { tool_id: "" }),
  },
  "DISC-09": {
    "returns its first result twice": onBody("discover", (body) => {
      const results = body["results"] as Body[];
      return { ...body, results: [...results, ...results.slice(0, 1)] };
    }),
  },
  "DISC-16": {
    "answers a negative average execution time": onPath(
      "discover",
      "results.*.stats.avg_execution_time_ms",
      () => -1,
    ),
  },
  "DISC-17": {
    "answers the success rate in percent": onPath(
      "discover",
      "results.*.stats.success_rate",
      (rate) => 2 + 100 * Number(rate),
    ),
  },
  "DISC-18": {
    "shows no cost signal of any kind": onFullResults(
      ({ expected_cost: _text, billing_rule: _rule, cost: _cost, ...result }) => result,
    ),
    "shows how long a tool takes, and not how often it succeeds": onPath(
      "discover",
      "results.*.stats.success_rate",
      () => undefined,
    ),
  },
  "DISC-19": {
    "answers examples that are empty": onPath(
      "discover",
      "results.*.examples.sample_parameters",
      () => undefined,
    ),
  },
  "DISC-20": {
    "forgets the first parameter of each sample": onPath(
      "discover",
      "results.*.examples.sample_parameters",
      (sample) => Object.fromEntries(Object.entries(sample as Body).slice(1)),
    ),
    "samples a choice that is none": onPath("inspect", "results.*.examples.sample_parameters", (sample) =>
      Object.fromEntries(Object.keys(sample as Body).map((name) => [name, "any"])),
    ),
  },
  "DISC-21": {
    "searches for nothing when the query is missing": accepting('"query'),
    "takes a number for a query": onStatus("discover", 422, 400, (_, { body }) =>
      body.includes("query must be string"),
    ),
  },
  "DISC-22": {
    "ranks an exact id like any other words, and finds it only the first time": onSearch((catalog) => {
      const asked = new Set<string>();
      return (query, limit) => {
        const again = asked.has(query);
        asked.add(query);
        return catalog.search(query, limit).filter((tool) => !again || tool.tool_id !== query);
      };
    }),
  },
  "DISC-23": {
    "finds tools by their ids only": onSearch(
      (catalog) => (query, limit) => (/\s/.test(query) ? [] : catalog.search(query, limit)),
    ),
  },
  "DISC-24": {
    "returns 25 results without a limit": reading("discover", ({ limit }) => ({
      limit: limit === 20 ? 25 : limit,
    })),
  },
  "DISC-25": {
    "returns one result more than limit": onSearch(
      (catalog) => (query, limit) => catalog.search(query, limit + 1),
    ),
  },
  "DISC-26": {
    "refuses a limit of 100": refusing("discover", ({ limit }) => limit === 100),
  },
  "DISC-27": { "takes a limit of 0": accepting(">= 1") },
  "DISC-28": { "takes a limit of 101": accepting("<= 100") },
  "DISC-29": { "takes a limit of 1.5": accepting("integer") },
  "DISC-30": {
    "returns 20 results at most, whatever the limit": reading("discover", ({ limit }) => ({
      limit: Math.min(20, limit),
    })),
  },
  "DISC-31": {
    "refuses a Discover without session_id": refusing(
      "discover",
      ({ session_id: session, query }) => session === undefined && query === "data",
    ),
    "refuses an Inspect with a search_id": refusing(
      "inspect",
      ({ search_id: search }) => search !== undefined,
    ),
  },
  "DISC-33": {
    "shortens the tool_id of routing cards": onCards((card) => ({
      ...card,
      tool_id: String(card["tool_id"]).replace(/\.v\d+$/, ""),
    })),
  },
  "DISC-34": {
    "returns complete results as cards": onCards((card) => ({
      ...card,
      params: [],
      description: "everything",
    })),
  },
  "DISC-35": {
    "leaves params out of what it has shown before": onOperation("discover", (run) => {
      const shown = new Set<string>();
      return async (request, context) => {
        const answer = await run(request, context);
        const key = `${request.caller.account.id} ${request.body.query}`;
        if (shown.has(key) && request.body.view === "full" && answer.status === 200)
          return withResults(answer, ({ params: _, ...rest }) => rest);
        shown.add(key);
        return answer;
      };
    }),
  },
  "DISC-36": {
    "takes any view for full": accepting("view"),
    "takes any lang for English": accepting("lang"),
  },
  "DISC-37": {
    "does not know lang zh": refusing("discover", ({ lang }) => lang === "zh"),
  },
  "DISC-38": {
    "lets Accept-Language win over lang": reading("discover", ({ lang }, { headers }) => ({
      lang: headers["accept-language"]?.slice(0, 2) ?? lang,
    })),
  },
  "DISC-39": {
    "answers in English unless lang says otherwise": reading("discover", ({ lang }) => ({
      lang: lang ?? "en",
    })),
    "takes the first language of Accept-Language, whatever its weight": reading(
      "discover",
      ({ lang }, { headers }) => ({
        lang: lang ?? (headers["accept-language"]?.startsWith("zh") ? "zh" : "en"),
      }),
    ),
  },
  "DISC-40": {
    "answers a search with 202": onStatus("discover", 200, 202),
  },
  "DISC-41": {
    "leaves the results out for an invalid key": onFields("discover", { results: undefined }, 401),
    "counts one result for an invalid key": onFields("discover", { total: 1 }, 401),
  },
  "DISC-42": { "has no failure marker": onFields("discover", { search_id: null }, 401) },
  "DISC-43": {
    "refuses an unpaid search without a marker": onUnpaid({ search_id: undefined }),
    "says nothing about an unpaid search": onUnpaid({ error_message: null }),
    "refuses an unpaid search and names what is left": onUnpaid({ remaining_credits: 3 }),
  },
  "DISC-44": {
    "answers a limited search with status_code -1": onFields("discover", { status_code: -1 }, 429),
  },
  "DISC-45": {
    "takes a little of every search, as a refund": takingForEvents("search"),
  },
});
