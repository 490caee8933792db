import {
  mutantsOf,
  onBody,
  onFields,
  onPath,
  sentOf,
  reading,
  type Body,
  type Change,
} from "../../changes/mutant.ts";

/** Changes the parameter definitions of results that the predicate selects by the request. */
const onParams = (
  operation: "discover" | "inspect",
  chooses: (sent: Body) => boolean,
  change: (param: Body) => Body | undefined,
): Change =>
  onPath(operation, "results.*.params", (params, request) =>
    chooses(sentOf(request)) ? (params as Body[]).map(change).filter((param) => param !== undefined) : params,
  );

/** Answers a different list of results, depending on the request, and a matching count. */
const onResults = (change: (results: Body[], sent: Body) => Body[]): Change =>
  onBody("inspect", (body, request) => {
    const results = change(body["results"] as Body[], sentOf(request));
    return { ...body, results, total: results.length };
  });

const always = (): boolean => true;
const isLean = (sent: Body): boolean => sent["view"] === "lean";
const dearer = (amount: unknown): unknown => 100 * Number(amount);

/** Inspect's answers for several tools, in its views, and compared with Discover's. */
export const mutants = mutantsOf({
  "INSP-02": {
    "answers the time of day as elapsed_time_ms": onFields("inspect", { elapsed_time_ms: () => Date.now() }),
  },
  "INSP-05": {
    "says in Discover that no parameter is required": onParams("discover", always, (param) => ({
      ...param,
      required: false,
    })),
    "names the prices in Discover in hundredths of a credit": onPath(
      "discover",
      "results.*.billing_rule.amount_credits",
      dearer,
    ),
    "translates the values of an enum": onParams(
      "discover",
      (sent) => sent["lang"] === "zh",
      (param) =>
        param["enum"] ? { ...param, enum: (param["enum"] as unknown[]).map((one) => `${one} 值`) } : param,
    ),
  },
  "INSP-07": {
    "reads the first 20 ids": reading("inspect", ({ tool_ids: ids }) => ({ tool_ids: ids.slice(0, 20) })),
    "returns one tool in a session": onResults((results, sent) =>
      sent["session_id"] === undefined ? results : results.slice(0, 1),
    ),
  },
  "INSP-08": {
    "pairs its results with the ids by their place": onResults((results, sent) =>
      results.map((result, place) => ({ ...result, tool_id: (sent["tool_ids"] as string[])[place] })),
    ),
    "makes up a tool for an unknown id in view lean": onResults((results, sent) => {
      const known = results.map((result) => result["tool_id"]);
      const unknown = isLean(sent) ? (sent["tool_ids"] as string[]).filter((id) => !known.includes(id)) : [];
      return [...results, ...unknown.map((id) => ({ tool_id: id, name: id, params: [] }))];
    }),
  },
  "INSP-10": {
    "gives an Inspect in view lean a search_id of its own": onBody("inspect", (body, request) =>
      isLean(sentOf(request)) ? { ...body, search_id: "srch_lean" } : body,
    ),
  },
  "INSP-11": {
    "names other prices in view lean": onBody("inspect", (body, request) => {
      if (!isLean(sentOf(request))) return body;
      const results = (body["results"] as Body[]).map((result) => {
        const rule = result["billing_rule"] as Body | undefined;
        return rule
          ? { ...result, billing_rule: { ...rule, amount_credits: dearer(rule["amount_credits"]) } }
          : result;
      });
      return { ...body, results };
    }),
    "says in view lean that no parameter is required": onParams("inspect", isLean, (param) => ({
      ...param,
      required: false,
    })),
  },
  "INSP-12": {
    "shows parameters without their texts in view full, and with them without a view": onParams(
      "inspect",
      (sent) => sent["view"] === "full",
      ({ description: _text, ...param }) => param,
    ),
    "marks no one-of group in view full": onParams(
      "inspect",
      (sent) => sent["view"] === "full",
      ({ one_of_required: _group, ...param }) => param,
    ),
  },
  "INSP-13": {
    "shows an empty contract of every tool in Discover": onParams("discover", always, () => undefined),
    "shows an empty contract of every tool but the first": onResults((results) =>
      results.map((result, place) => (place === 0 ? result : { ...result, params: [] })),
    ),
  },
});
