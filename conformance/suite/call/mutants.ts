import type { Context, Operation, Request } from "../../../reference-server/http/operation.ts";
import type { Tool } from "../../../reference-server/catalog/tool.ts";
import { keepingBack } from "../../changes/audit-query.ts";
import {
  moving,
  answering,
  mutantsOf,
  onBody,
  onEach,
  onFields,
  onOperation,
  onPart,
  receiving,
  reading,
  sentOf,
  onStatus,
  type Change,
} from "../../changes/mutant.ts";
import type { WireRequest } from "../../changes/wire.ts";

export type CallBody = Request<"call">["body"];
type CallAnswer = Awaited<ReturnType<Operation<"call">>>;

/** Wraps only Call, which then uses a different catalogue from Inspect. */
const withTool = (change: (tool: Tool, body: CallBody) => Tool): Change =>
  onOperation("call", (call) => (request, context) => {
    const find = (id: string): Tool | undefined => {
      const tool = context.catalog.find(id);
      return tool && change(tool, request.body);
    };
    return call(request, { ...context, catalog: { ...context.catalog, find } });
  });

const withParams = (change: (param: Tool["params"][number]) => Partial<Tool["params"][number]>): Change =>
  withTool((tool) => ({ ...tool, params: tool.params.map((param) => ({ ...param, ...change(param) })) }));

/** What makes any Call invalid. */
export const unreadable = { respond_with: "nothing" };

/** Loses the tool of the Calls that the predicate selects. */
const withoutTool = (chooses: (body: CallBody) => boolean): Change =>
  receiving("call", ({ query, body }) => ({
    query: chooses(body) ? {} : query,
    body: chooses(body) ? { ...body, tool_id: "" } : body,
  }));

/** Executes and charges a valid Call before refusing the request. */
async function chargeFirst(
  call: Operation<"call">,
  request: Request<"call">,
  context: Context,
): Promise<CallAnswer> {
  const tool = context.catalog.find("weather.current.v1")!;
  const body = { tool_id: tool.tool_id, parameters: tool.examples!.sample_parameters, respond_with: "full" };
  return call({ ...request, query: {}, body: { ...request.body, ...body } }, context);
}

/** Charges for a Call that is refused with 422, as an answer or an error. */
export const chargingRefusals = (which: (body: CallBody) => boolean): Change =>
  onOperation("call", (call) => async (request, context) => {
    try {
      const answer = await call(request, context);
      if (answer.status === 422 && which(request.body)) await chargeFirst(call, request, context);
      return answer;
    } catch (error) {
      if (which(request.body)) await chargeFirst(call, request, context);
      throw error;
    }
  });

/** Repeats the first execution_id of the Calls with the same key. */
function repeatingIds(keyOf: (request: WireRequest) => string): Change {
  const first = new Map<string, unknown>();
  return onBody("call", (body, request) => {
    const key = keyOf(request);
    if (!first.has(key)) first.set(key, body["execution_id"]);
    return { ...body, execution_id: first.get(key) };
  });
}

/** How long a run took; no two take equally long. */
let runs = 0;
const milliseconds = (): number => 4021 + (runs += 1);

export const mutants = mutantsOf({
  "CALL-01": { "answers an empty execution_id": onFields("call", { execution_id: "" }) },
  "CALL-02": {
    "answers every Call with one execution_id": onFields("call", { execution_id: "exec_1" }),
    "numbers executions by the second in which they begin": onFields("call", {
      execution_id: () => `exec_${Math.floor(Date.now() / 1000)}`,
    }),
    "gives a Call that repeats an earlier one its execution_id": repeatingIds(({ sent }) => sent()),
    "gives the Calls of one session one execution_id": repeatingIds((request) =>
      String(sentOf(request)["session_id"] ?? Math.random()),
    ),
  },
  "CALL-06": {
    "leaves failures without a message": onBody("call", silentFailure),
    "answers a blank error_message": onBody("call", (body) => silentFailure(body, " ")),
    "leaves the 422 without a message": onFields("call", { error_message: undefined }, 422),
  },
  "CALL-07": {
    "settles a failed Call to zero in its event, and keeps what it held": keepingBack(
      1,
      (event) => !event.success,
    ),
  },
  "CALL-08": { "answers a negative execution_time": onFields("call", { execution_time: -1 }) },
  "CALL-09": { "answers a negative elapsed_time_ms": onFields("call", { elapsed_time_ms: -1 }) },
  "CALL-10": {
    "answers execution_time in milliseconds": onFields("call", {
      execution_time: milliseconds,
      elapsed_time_ms: milliseconds,
    }),
    "answers execution_time in milliseconds, and nothing beside it": onFields("call", {
      execution_time: milliseconds,
      elapsed_time_ms: undefined,
    }),
    "answers elapsed_time_ms in microseconds": onFields("call", { elapsed_time_ms: 4_021_000 }),
  },
  "CALL-11": {
    "answers a negative list amount": onFields("call", {
      billing: { summary: "-1 credits", list_amount_credits: -1 },
    }),
  },
  "CALL-14": { "leaves out billing": onFields("call", { billing: undefined }) },
  "CALL-15": {
    "reads tool_id from the query alone": reading("call", () => ({ tool_id: undefined })),
  },
  "CALL-16": {
    "reads tool_id from the body alone": receiving("call", () => ({ query: {} })),
  },
  "CALL-17": {
    "answers a Call without tool_id with a bare 422": onBody(
      "call",
      () => ({ detail: [{ loc: ["body", "tool_id"], msg: "missing", type: "missing" }] }),
      422,
    ),
    "charges a Call without tool_id": chargingRefusals((body) => body.tool_id === undefined),
  },
  "CALL-18": {
    "takes a tool_id in two places for none": onStatus(
      "call",
      200,
      422,
      (request) => request.query.has("tool_id") && "tool_id" in sentOf(request),
    ),
    "wants a session_id": withoutTool(({ session_id: session }) => !session),
    "takes a Call of an earlier search for one without a tool": withoutTool(({ search_id: search }) =>
      Boolean(search),
    ),
  },
  "CALL-19": {
    "records one session for all Calls without session_id": onEach("listUsage", "data.items", {
      session_id: "session_default",
    }),
  },
  "CALL-28": {
    "executes without a required parameter": withParams(() => ({ required: false })),
    "answers a missing parameter with 400": onStatus("call", 422, 400),
    "asks for the first required parameter alone": withTool((tool) => {
      const first = tool.params.find(({ required }) => required);
      return { ...tool, params: tool.params.map((param) => ({ ...param, required: param === first })) };
    }),
  },
  "CALL-29": {
    "takes any value for an enum": withTool((tool) => ({
      ...tool,
      params: tool.params.map(({ enum: _values, ...param }) => param),
    })),
    "takes any value for the enum of an optional parameter": withParams(({ required, enum: values }) => ({
      enum: required ? values : undefined,
    })),
    "executes with a number out of its range": withTool((tool) => ({
      ...tool,
      params: tool.params.map(({ minimum: _least, maximum: _most, ...param }) => param),
    })),
    "takes the values of an enum in any case": withParams(({ enum: values }) => ({
      enum: values?.flatMap((value) => [value, String(value).toLowerCase(), String(value).toUpperCase()]),
    })),
  },
  "CALL-30": {
    "takes any type for a text": withTool((tool, body) => ({
      ...tool,
      params: tool.params.map((param) => {
        const { enum: _values, pattern: _pattern, ...loose } = param;
        return typeof body.parameters[param.name] === "object" ? { ...loose, type: "object" } : param;
      }),
    })),
    "takes any type for an optional parameter": withTool((tool, body) => ({
      ...tool,
      params: tool.params.map((param) =>
        !param.required && typeof body.parameters[param.name] === "object"
          ? { name: param.name, description: param.description, type: "object", required: false }
          : param,
      ),
    })),
    "executes with null for a parameter": onStatus("call", 422, 200, ({ sent }) => /:null/.test(sent())),
  },
  "CALL-31": {
    "asks for no field of a one-of group": withTool((tool) => ({
      ...tool,
      params: tool.params.map(({ one_of_required: _group, ...param }) => param),
    })),
  },
  "CALL-32": {
    "asks for every field of a one-of group": withParams(({ one_of_required: group, required }) => ({
      required: required || group !== undefined,
    })),
    "refuses a second field of a one-of group": reading(
      "call",
      ({ tool_id: id, parameters }, _request, { catalog }) => {
        const members = (catalog.find(id ?? "")?.params ?? []).filter(
          ({ name, one_of_required: group }) => group !== undefined && name in parameters,
        );
        return members.length > 1 ? unreadable : {};
      },
    ),
  },
  "CALL-33": {
    "refuses a projection without a word about it": onBody(
      "call",
      (body, request) =>
        request.sent().includes("respond_with")
          ? { success: false, error_message: "Invalid request." }
          : body,
      422,
    ),
    "says that some parameter is wrong, and not which": onBody(
      "call",
      (body) => ({ ...body, error_message: "A parameter is wrong.", details: [] }),
      422,
    ),
  },
  "ERRO-08": {
    "says what is wrong with a Call in its message alone": onFields("call", { details: [] }, 422),
  },
  "CALL-34": {
    "charges a Call that it refuses for its parameters": chargingRefusals(
      (body) => body.tool_id !== undefined,
    ),
  },
  "CALL-35": {
    "answers a success with 201": onStatus("call", 200, 201),
    "says of a success that it failed": onBody("call", (body) => ({
      ...body,
      success: false,
      error_message: "It failed.",
    })),
  },
  "CALL-36": {
    "answers 401 with a detail alone": onBody("call", () => ({ detail: "not authenticated" }), 401),
  },
  "CALL-37": {
    "answers 400 where the balance does not suffice": onStatus("call", 402, 400),
    "answers 200 where the balance does not suffice": onStatus("call", 402, 200),
    "answers 200 where a trial's balance does not suffice, the only one that is known to end": {
      ...onStatus("call", 402, 200),
      profile: ({ credentials: { exhausted: _exhausted, ...credentials }, ...profile }) => ({
        ...profile,
        credentials,
      }),
    },
  },
  "CALL-38": {
    "answers 402 without success": onFields("call", { success: undefined }, 402),
    "answers 402 without a message": onFields("call", { error_message: null }, 402),
  },
  "CALL-39": {
    "answers 402 with a tenth of a credit left": onFields("call", { remaining_credits: 0.1 }, 402),
  },
  "CALL-40": {
    "gives back a credit with each Call that it refuses with 402": answering(
      "call",
      async (answer, { caller }, { books }) => {
        if (answer.status === 402) await moving(books, caller.account.id, 0.1);
        return answer;
      },
    ),
    "charges the Call that takes the last credit, and answers it with 402": answering("call", (answer) =>
      answer.status === 200 && answer.body.remaining_credits === 0
        ? { status: 402, body: { ...answer.body, success: false, error_message: "insufficient credits" } }
        : answer,
    ),
  },
  "CALL-41": {
    "takes an empty result for a success": onPart("providers", (providers) => ({
      execute: async (tool, parameters) => {
        const execution = await providers.execute(tool, parameters);
        return execution.reason === "result.empty" ? { ...execution, success: true, data: [] } : execution;
      },
    })),
  },
  "CALL-42": {
    "bills the list price of a Call without a result": onBody("call", (body) =>
      body["success"] === false
        ? { ...body, billing: { summary: "1 credit", list_amount_credits: 1 } }
        : body,
    ),
  },
  "CALL-43": {
    "includes a Call without a result": onEach("listUsage", "data.items", {
      charge_outcome: (outcome: unknown) => (outcome === "failed_not_charged" ? "included" : outcome),
    }),
  },
});

function silentFailure(body: Record<string, unknown>, message: unknown = null): Record<string, unknown> {
  return body["success"] === false ? { ...body, error_message: message } : body;
}
