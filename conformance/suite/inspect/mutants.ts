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
  sentOf,
  onStatus,
  withBody,
  type Body,
  type Change,
  onOperation,
} from "../../changes/mutant.ts";

/** The answer of an Inspect that finds nothing, and of a Discover apart from its query. */
export const noResults = {
  search_id: "srch_0",
  total: 0,
  results: [],
  elapsed_time_ms: 1,
  remaining_credits: 1,
  error_message: null,
};

/** Answers 422 as if the request had named no ids. */
const accepting = (chooses: RegExp): Change =>
  onStatus("inspect", 422, withBody(200, noResults), (_, { body }) => chooses.test(body));

/** Changes every result of an Inspect in view lean. */
const onLean = (change: (result: Body) => Body): Change =>
  answering("inspect", (answer, request) =>
    request.body.view === "lean" && answer.status === 200 ? withResults(answer, change) : answer,
  );

/** The answer with each result changed. */
export const withResults = <Answer extends { body: object }>(
  answer: Answer,
  change: (result: Body) => Body,
): Answer => {
  const { results } = answer.body as { results: Body[] };
  return { ...answer, body: { ...answer.body, results: results.map(change) } };
};

/** Changes the parameter definitions of every result. */
const onParams = (change: (param: Body, index: number) => Body): Change =>
  onPath("inspect", "results.*.params", (params) => (params as Body[]).map(change));

export const mutants = mutantsOf({
  "INSP-01": { "answers a total of -1": onFields("inspect", { total: -1 }) },
  "INSP-02": { "answers a negative elapsed_time_ms": onFields("inspect", { elapsed_time_ms: -1 }) },
  "INSP-04": {
    "answers an empty tool_id": onEach("inspect", "results", { tool_id: "" }),
    "answers the success rate in percent": onPath("inspect", "results.*.stats", () => ({
      avg_execution_time_ms: 10,
      success_rate: 98,
    })),
    "answers a negative average execution time": onEach("inspect", "results", {
      stats: { avg_execution_time_ms: -1, success_rate: 1 },
    }),
    "answers a success rate above 1": onEach("inspect", "results", {
      stats: { avg_execution_time_ms: 1, success_rate: 98 },
    }),
  },
  "INSP-05": {
    "knows no examples that Discover knows": onEach("inspect", "results", { examples: undefined }),
  },
  "INSP-06": {
    "takes a single id for a list of one": accepting(/tool_ids must be array/),
    "leaves out ids that are no strings": accepting(/tool_ids\.\d/),
    "takes tool_ids of null for none": onStatus(
      "inspect",
      422,
      withBody(200, noResults),
      (request) => sentOf(request)["tool_ids"] === null,
    ),
    "inspects nothing when tool_ids is missing": accepting(/required/),
  },
  "INSP-07": {
    "leaves out the last of several ids": reading("inspect", ({ tool_ids: ids }) => ({
      tool_ids: ids.length > 1 ? ids.slice(0, -1) : ids,
    })),
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
    "counts more than the tools of view lean": onBody("inspect", (body, request) =>
      sentOf(request)["view"] === "lean" ? { ...body, total: Number(body["total"]) + 1 } : body,
    ),
  },
  "INSP-10": { "gives every Inspect a search_id of its own": onFields("inspect", { search_id: "srch_own" }) },
  "INSP-11": {
    "does not know view lean": reading("inspect", () => ({ view: "full" })),
    "drops the ids in view lean": onLean(({ tool_id: _, ...result }) => result),
    "answers view lean with empty ids": onLean((result) => ({ ...result, tool_id: "" })),
  },
  "INSP-12": {
    "leaves the examples out of what it has shown before": onOperation("inspect", (run) => {
      const shown = new Set<string>();
      return async (request, context) => {
        const answer = await run(request, context);
        const key = `${request.caller.account.id} ${request.body.tool_ids.join(" ")}`;
        if (shown.has(key) && answer.status === 200)
          return withResults(answer, ({ examples: _, ...rest }) => rest);
        shown.add(key);
        return answer;
      };
    }),
  },
  "INSP-13": {
    "leaves out params where there are none": onPath("inspect", "results.*.params", (params) =>
      (params as unknown[]).length === 0 ? undefined : params,
    ),
    "invents a parameter for a tool without any": onPath("inspect", "results.*.params", (params) =>
      (params as unknown[]).length === 0 ? [{ name: "input", type: "string", required: false }] : params,
    ),
  },
  "INSP-14": {
    "marks one member of a one-of group only": onParams(({ one_of_required: mark, ...param }, index) =>
      index === 0 && mark !== undefined ? { ...param, one_of_required: mark } : param,
    ),
  },
  "INSP-15": {
    "says what is allowed in words": onParams(({ enum: _, ...param }) => param),
    "lists all values but the last": onParams(({ enum: listed, ...param }) => ({
      ...param,
      ...(Array.isArray(listed) && { enum: listed.slice(0, -1) }),
    })),
  },
  "INSP-16": {
    "answers an Inspect with 203": onStatus("inspect", 200, 203),
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
