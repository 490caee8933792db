import { takingForEvents } from "../../proof/audit-query.ts";
import {
  mutantsOf,
  onAnswers,
  onBody,
  onEach,
  onFields,
  onOperation,
  onPart,
  onPath,
  withBody,
  withStatus,
  type Body,
  type Change,
  type Mutant,
} from "../../proof/mutant.ts";

/** Answers 422 as if the request had named no ids. */
const accepting = (chooses: RegExp): Change =>
  onAnswers(
    ({ operation }, answer) => operation === "inspect" && answer.status === 422 && chooses.test(answer.body),
    withBody(200, {
      search_id: "srch_0",
      total: 0,
      results: [],
      elapsed_time_ms: 1,
      remaining_credits: 1,
      error_message: null,
    }),
  );

/** Changes every result of an Inspect depending on the requested view. */
const onView = (view: "full" | "lean", change: (result: Body) => Body): Change =>
  onOperation("inspect", (run) => async (request, context) => {
    const answer = await run(request, context);
    if ((request.body.view ?? "full") !== view || answer.status !== 200) return answer;
    const results = (answer.body.results as unknown as Body[]).map(change);
    return { ...answer, body: { ...answer.body, results } } as unknown as typeof answer;
  });

/** Changes the parameter definitions of every result. */
const onParams = (change: (param: Body, index: number) => Body): Change =>
  onPath("inspect", "results.*.params", (params) => (params as Body[]).map(change));

export const mutants: Mutant[] = mutantsOf({
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
    "inspects nothing when tool_ids is missing": accepting(/required/),
  },
  "INSP-07": {
    "leaves out the last of several ids": onOperation("inspect", (run) => (request, context) => {
      const ids = request.body.tool_ids;
      const body = { ...request.body, tool_ids: ids.length > 1 ? ids.slice(0, -1) : ids };
      return run({ ...request, body }, context);
    }),
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
  "INSP-10": { "gives every Inspect a search_id of its own": onFields("inspect", { search_id: "srch_own" }) },
  "INSP-11": {
    "does not know view lean": onOperation(
      "inspect",
      (run) => (request, context) => run({ ...request, body: { ...request.body, view: "full" } }, context),
    ),
    "drops the ids in view lean": onView("lean", ({ tool_id: _, ...result }) => result),
    "answers view lean with empty ids": onView("lean", (result) => ({ ...result, tool_id: "" })),
  },
  "INSP-12": {
    "leaves the examples out of what it has shown before": onOperation("inspect", (run) => {
      const shown = new Set<string>();
      return async (request, context) => {
        const answer = await run(request, context);
        const key = `${request.caller.account.id} ${request.body.tool_ids.join(" ")}`;
        if (!shown.has(key) || answer.status !== 200) {
          shown.add(key);
          return answer;
        }
        const results = (answer.body.results as unknown as Body[]).map(({ examples: _, ...rest }) => rest);
        return { ...answer, body: { ...answer.body, results } } as unknown as typeof answer;
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
    "answers an Inspect with 203": onAnswers(
      ({ operation }, { status }) => operation === "inspect" && status === 200,
      withStatus(203),
    ),
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
