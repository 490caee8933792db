import type { Tool } from "../../../reference-server/catalog/tool.ts";
import type { Context, Request } from "../../../reference-server/http/operation.ts";
import { newExecutionId } from "../../../reference-server/ids.ts";
import { executeAndSettle } from "../../../reference-server/operations/execution.ts";
import {
  moving,
  answering,
  mutantsOf,
  onAnswers,
  onBody,
  onFields,
  onPath,
  onStatus,
  sentOf,
  withBody,
  type Body,
  type Change,
} from "../../changes/mutant.ts";

/** Answers a refused Probe with success. */
const accepting = (chooses: RegExp): Change =>
  onAnswers(
    ({ operation }, { status, body }) =>
      operation === "probe" && (status === 400 || status === 422) && chooses.test(body),
    withBody(200, { schema: { valid: true } }),
  );

/** Ignores the violations that the predicate selects. */
const overlooking = (chooses: (violation: Body) => boolean): Change =>
  onPath("probe", "schema", (schema) => without(schema as Body, chooses));

/** The finding about the parameters without some of its violations. */
function without(schema: Body, chooses: (violation: Body) => boolean): Body {
  const left = ((schema["violations"] ?? []) as Body[]).filter((violation) => !chooses(violation));
  return { valid: left.length === 0, violations: left.length === 0 ? null : left };
}

/** Ignores violations, selected by the tool and the given parameters. */
const overlookingOn = (chooses: (tool: Tool, given: Body) => (violation: Body) => boolean): Change =>
  onSchema((schema, tool, given) => without(schema, chooses(tool, given)));

/** Changes the finding about the parameters of a tool. */
const onSchema = (change: (schema: Body, tool: Tool, given: Body) => Body): Change =>
  answering("probe", (answer, { query, body }, { catalog }) => {
    const tool = catalog.find(query.tool_id);
    if (answer.status !== 200 || tool === undefined || answer.body.schema === undefined) return answer;
    const schema = change(answer.body.schema as Body, tool, body?.parameters ?? {});
    return { ...answer, body: { ...answer.body, schema } };
  });

const broken = { valid: false, violations: null };

const isRequired = (tool: Tool, name: unknown): boolean =>
  tool.params.some((param) => param.name === name && param.required);

/** Refuses the Probes that the predicate selects. */
const refusing = (chooses: (body: Body) => boolean): Change =>
  answering("probe", (answer, { body }) =>
    chooses((body ?? {}) as Body) ? { status: 422, body: { detail: [] } } : answer,
  );

/** Performs a side effect with each Probe that is answered with 200. */
const besides = (act: (request: Request<"probe">, context: Context) => Promise<unknown>): Change =>
  answering("probe", async (answer, request, context) => {
    if (answer.status === 200) await act(request, context);
    return answer;
  });

export const mutants = mutantsOf({
  "PROB-02": {
    "leaves out the quote that was asked for where the parameters are not valid": onBody("probe", (body) => {
      const { quote: _quote, ...rest } = body;
      return (body["schema"] as Body | undefined)?.["valid"] === false ? rest : body;
    }),
  },
  "PROB-03": {
    "answers no estimate for a tool with a price": onPath("probe", "quote.estimate_credits", () => null),
    "answers a negative estimate": onPath("probe", "quote.estimate_credits", () => -1),
  },
  "PROB-04": { "quotes in dollars": onPath("probe", "quote.currency", () => "USD") },
  "PROB-05": { "vouches for the coverage": onFields("probe", { coverage: { verdict: "full" } }) },
  "PROB-06": { "vouches for the sample": onFields("probe", { sample: { verdict: "ok" } }) },
  "PROB-07": { "probes nothing when tool_id is missing": accepting(/Which tool/) },
  "PROB-08": { "refuses a Probe with an empty object": refusing((body) => Object.keys(body).length === 0) },
  "PROB-09": {
    "takes tools without parameters for broken": onSchema((schema, _tool, given) =>
      Object.keys(given).length > 0 ? schema : broken,
    ),
    "asks for optional parameters too": onSchema((schema, { params }, given) =>
      params.every(({ name, one_of_required: group }) => group !== undefined || name in given)
        ? schema
        : broken,
    ),
    "takes a second field of a one-of group for broken": onSchema((schema, { params }, given) => {
      const members = params.filter(
        ({ name, one_of_required: group }) => group !== undefined && name in given,
      );
      return members.length < 2 ? schema : broken;
    }),
  },
  "PROB-10": {
    "does not miss required parameters": overlooking(({ type }) => type === "missing"),
    "misses no required parameter but a tool's first": overlookingOn((tool) => {
      const [first] = tool.params.filter(({ required }) => required);
      return ({ type, param }) => type === "missing" && param !== first?.name;
    }),
  },
  "PROB-11": {
    "looks at no parameters where live_budget is none": onBody("probe", (body, request) =>
      sentOf(request)["live_budget"] === "none" ? { ...body, schema: { valid: true } } : body,
    ),
    "does not look at enums": overlooking(({ type }) => type === "enum"),
    "does not look at ranges": overlooking(({ type }) => type === "range"),
    "takes the values of an enum in any case": overlookingOn((tool, given) => ({ type, param }) => {
      const listed = tool.params.find(({ name }) => name === param)?.enum ?? [];
      const value = String(given[String(param)]).toLowerCase();
      return type === "enum" && listed.some((one) => String(one).toLowerCase() === value);
    }),
    "does not look at the enums of optional parameters": overlookingOn(
      (tool) =>
        ({ type, param }) =>
          type === "enum" && !isRequired(tool, param),
    ),
  },
  "PROB-12": {
    "does not look at types": overlooking(({ type }) => type === "type"),
    "does not look at the types of optional parameters": overlookingOn(
      (tool) =>
        ({ type, param }) =>
          type === "type" && !isRequired(tool, param),
    ),
    "looks at the type of a tool's first parameter alone": overlookingOn(
      (tool) =>
        ({ type, param }) =>
          type === "type" && param !== tool.params[0]?.name,
    ),
    "takes null for a value of every type": overlookingOn(
      (_tool, given) =>
        ({ type, param }) =>
          type === "type" && given[String(param)] === null,
    ),
  },
  "PROB-13": { "does not look at one-of groups": overlooking(({ type }) => type === "one_of") },
  "PROB-14": {
    "takes a text for parameters": accepting(/parameters must be object/),
    "ignores checks that it does not know": accepting(/checks\.\d/),
    "takes any live_budget for none": accepting(/live_budget/),
  },
  "PROB-15": {
    "refuses the check coverage when it stands alone": refusing(
      ({ checks }) => Array.isArray(checks) && checks.length === 1 && checks[0] === "coverage",
    ),
  },
  "PROB-16": {
    "does not know the live_budget metadata": refusing(({ live_budget: budget }) => budget === "metadata"),
  },
  "PROB-17": {
    "executes the tool when live_budget is sampled": besides(async (request, context) => {
      const tool = context.catalog.find(request.query.tool_id);
      if (request.body?.live_budget !== "sampled" || tool === undefined) return;
      const parameters = request.body.parameters ?? {};
      await executeAndSettle(
        {
          caller: request.caller,
          eventType: "tool_execute",
          executionId: newExecutionId(context),
          sessionId: null,
          searchId: null,
          model: null,
          tool,
          displayTarget: tool.name.en,
          parameters,
          request: { tool_id: tool.tool_id, parameters },
        } as unknown as Parameters<typeof executeAndSettle>[0],
        context,
      );
    }),
  },
  "PROB-18": { "answers an impossible Probe with status error": onFields("probe", { status: "error" }, 400) },
  "PROB-19": {
    "answers an unknown tool with 400": onStatus("probe", 404, 400),
    "answers an unknown tool with 200 where its schema is not asked for": onStatus(
      "probe",
      404,
      withBody(200, { coverage: { verdict: "unknown" } }),
      ({ sent }) => !sent().includes('"schema"'),
    ),
  },
  "PROB-21": {
    "takes a little of every quote": besides(async ({ body, caller }, { books }) => {
      if (body?.checks?.includes("quote")) await moving(books, caller.account.id, -0.001);
    }),
  },
  "PROB-22": {
    "quotes a tenth less than it charges": onPath(
      "probe",
      "quote.estimate_credits",
      (amount) => 0.9 * Number(amount),
    ),
    "quotes in whole credits": onPath("probe", "quote.estimate_credits", (amount) =>
      Math.round(Number(amount)),
    ),
    "calls the quote of a price for each row exact": onPath("probe", "quote.exact", () => true),
  },
});
