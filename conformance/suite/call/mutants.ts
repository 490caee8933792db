import type { Context, Operation, Request } from "../../../reference-server/http/operation.ts";
import type { Tool } from "../../../reference-server/catalog/tool.ts";
import { keepingBack } from "../../changes/audit-query.ts";
import {
  moving,
  answering,
  mutantsOf,
  onBody,
  onFields,
  onOperation,
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
const milliseconds = (): number => {
  runs += 1;
  return 4021 + runs;
};

export const mutants = mutantsOf({
  "CALL-02": {
    "returns the same execution_id for every Call": onFields("call", { execution_id: "exec_1" }),
    "derives the execution_id from the current second": onFields("call", {
      execution_id: () => `exec_${Math.floor(Date.now() / 1000)}`,
    }),
    "gives a repeated Call the execution_id of the earlier one": repeatingIds(({ sent }) => sent()),
    "gives all Calls of a session the same execution_id": repeatingIds((request) =>
      String(sentOf(request)["session_id"] ?? Math.random()),
    ),
  },
  "CALL-07": {
    "settles a failed Call at zero in its event but keeps the held credits": keepingBack(
      1,
      (event) => !event.success,
    ),
  },
  "CALL-10": {
    "returns execution_time in milliseconds": onFields("call", {
      execution_time: milliseconds,
      elapsed_time_ms: milliseconds,
    }),
    "returns execution_time in milliseconds and no elapsed_time_ms": onFields("call", {
      execution_time: milliseconds,
      elapsed_time_ms: undefined,
    }),
    "returns elapsed_time_ms in microseconds": onFields("call", { elapsed_time_ms: 4_021_000 }),
  },
  "CALL-17": {
    "charges a Call without tool_id": chargingRefusals((body) => body.tool_id === undefined),
  },
  "CALL-18": {
    "refuses a Call whose tool_id is in both query and body": onStatus(
      "call",
      200,
      422,
      (request) => request.query.has("tool_id") && "tool_id" in sentOf(request),
    ),
  },
  "CALL-32": {
    "requires every field of a one-of group": withParams(({ one_of_required: group, required }) => ({
      required: required || group !== undefined,
    })),
  },
  "ERRO-08": {
    "gives no details about what is wrong with a Call": onFields("call", { details: [] }, 422),
  },
  "CALL-34": {
    "charges a Call that it refuses because of its parameters": chargingRefusals(
      (body) => body.tool_id !== undefined,
    ),
  },
  "CALL-39": {
    "answers 402 with remaining_credits 0.1": onFields("call", { remaining_credits: 0.1 }, 402),
  },
  "CALL-40": {
    "grants a tenth of a credit with each Call that it refuses with 402": answering(
      "call",
      async (answer, { caller }, { books }) => {
        if (answer.status === 402) await moving(books, caller.account.id, 0.1);
        return answer;
      },
    ),
    "charges the Call that uses the last credit but answers it with 402": answering("call", (answer) =>
      answer.status === 200 && answer.body.remaining_credits === 0
        ? { status: 402, body: { ...answer.body, success: false, error_message: "insufficient credits" } }
        : answer,
    ),
  },
  "CALL-42": {
    "bills a list price for a Call without a result": onBody("call", (body) =>
      body["success"] === false
        ? { ...body, billing: { summary: "1 credit", list_amount_credits: 1 } }
        : body,
    ),
  },
});
