import type { ReasonCode } from "../../generated/contract.ts";
import { credits } from "../billing/money.ts";
import { inCredits } from "../billing/price.ts";
import { compactBilling } from "../billing/statement.ts";
import { belongElsewhere, violations, type Violation } from "../catalog/parameters.ts";
import { suggestion } from "../../base/yaml/nearest.ts";
import { toolIdPattern } from "../catalog/shape.ts";
import type { Tool } from "../catalog/tool.ts";
import { Invalid, type Issue } from "../http/errors.ts";
import type { Answer, Context, Operation, Request } from "../http/operation.ts";
import { newExecutionId } from "../ids.ts";
import type { Execution } from "../parts.ts";
import { limitTopLevel, present, withheld, type Presentation } from "../results/present.ts";
import { parseRespondWith, type RespondWith } from "../results/projection.ts";
import { accountClosed, executeAndSettle, recordRefusal, type Order, type Settled } from "./execution.ts";
import { usageEvent } from "./usage-event.ts";

type CallRequest = Request<"call">;
type CallAnswer = Answer<"call">;

/**
 * Executes one tool (contract: Call). A malformed request is refused without a trace; one that breaks the tool's
 * contract, or names no callable tool, leaves an event without a charge; any other is held, executed and settled.
 */
export const call: Operation<"call"> = async (request, context) => {
  const respondWith = parseRespondWith(request.body.respond_with);
  if ("refused" in respondWith) throw new Invalid(respondWith.refused);
  const answer = await answered(request, respondWith, context);
  // No billing is shown with a projection, even of a Call that failed.
  const { billing, ...body } = answer.body as { billing?: unknown; success?: boolean };
  const shows = respondWith.mode === "full" || body.success === true || billing === undefined;
  return shows ? answer : ({ ...answer, body } as CallAnswer);
};

async function answered(
  request: CallRequest,
  respondWith: RespondWith,
  context: Context,
): Promise<CallAnswer> {
  const { body, headers } = request;
  const toolId = namedTool(request);
  const executionId = newExecutionId(context);
  const tool = context.catalog.find(toolId);
  if (tool === undefined) return unknownTool(toolId, executionId, request, context);

  const order: Order = {
    ...tracking(request, executionId),
    tool,
    displayTarget: tool.name.en,
    parameters: body.parameters,
    hold: request.hold,
    request: {
      tool_id: toolId,
      parameters: body.parameters,
      max_response_size: body.max_response_size,
      respond_with: body.respond_with,
      ...cacheMode(headers["x-service-cache-mode"]),
    },
  };
  const refusal = unavailable(tool);
  if (refusal !== null) {
    const settled = await recordRefusal(order, refusal.reason, refusal.message, context);
    return failed(executionId, refusal.message, credits(settled.recorded.remaining));
  }
  const broken = violations(tool, body.parameters);
  if (broken.length > 0) return brokenParameters(order, broken, context);

  const settled = await executeAndSettle(order, context);
  if (settled === "insufficient") return insufficient(order, context);
  if (settled === "closed") return failed(executionId, accountClosed, 0);
  if (!settled.execution.success) return unsuccessful(executionId, settled);
  const presentation = { respondWith, maxResponseSize: body.max_response_size };
  return succeeded(order, settled, presentation, context);
}

/** Parameters that break the tool's contract: an event without a charge, and a list of the violations. */
async function brokenParameters(
  order: Order,
  broken: readonly Violation[],
  context: Context,
): Promise<CallAnswer> {
  const hint = belongElsewhere(order.tool, order.parameters)
    ? " These look like the parameters of another tool: keep search_id, tool and parameters together."
    : "";
  const message = broken.map((violation) => violation.message).join(" ") + hint;
  const { recorded } = await recordRefusal(order, "validation_error", message, context);
  return {
    status: 422,
    body: {
      ...failureBody(order.executionId, message, credits(recorded.remaining)),
      details: broken.map(({ param, type, message: msg }) => ({
        loc: ["body", "parameters", param],
        msg,
        type,
      })),
    },
  };
}

function insufficient({ tool, executionId }: Order, { pricing }: Context): CallAnswer {
  const message = `This call can cost up to ${inCredits(pricing.upperBound(tool))}, more than the account has left: nothing was executed, and no usage event written.`;
  return {
    status: 402,
    body: {
      execution_id: executionId,
      success: false,
      error_message: message,
      result: null,
      remaining_credits: 0,
    },
  };
}

const timing = ({ durationMs }: Execution) => ({
  execution_time: durationMs / 1000,
  elapsed_time_ms: durationMs,
});

/** The provider failed. The answer shows the bill if the tool's rule charges for failures, else zero. */
function unsuccessful(executionId: string, { execution, bill, settlement, recorded }: Settled): CallAnswer {
  const message = execution.message ?? "The tool's execution failed.";
  return {
    status: 200,
    body: {
      ...failureBody(executionId, message, credits(recorded.remaining)),
      ...timing(execution),
      billing: compactBilling(bill, settlement.amount > 0),
      cost: credits(settlement.amount),
    },
  };
}

async function succeeded(
  { executionId, tool, caller }: Order,
  { execution, bill, recorded }: Settled,
  presentation: Presentation,
  context: Context,
): Promise<CallAnswer> {
  const executed = { accountId: caller.account.id, executionId, tool, execution };
  const { result, topLevelKeys } = await present(executed, presentation, context).catch((error: unknown) => {
    // The call is charged and recorded, so it is answered even if its content cannot be shown.
    context.log.error({ error, execution_id: executionId }, "a result could not be shown");
    return withheld(presentation);
  });
  const beside = {
    error_message: null,
    ...timing(execution),
    billing: compactBilling(bill, true),
    cost: credits(bill.listAmount),
    remaining_credits: credits(recorded.remaining),
  };
  const shown = { execution_id: executionId, success: true as const, result };
  return { status: 200, body: { ...shown, ...limitTopLevel(beside, topLevelKeys) } };
}

/**
 * The tool's id from the query or the body.
 * @throws Invalid if it is in neither, or they differ
 */
function namedTool({ query, body }: CallRequest): string {
  const named = [query.tool_id, body.tool_id].filter(
    (id): id is string => id !== undefined && id.trim() !== "",
  );
  const [toolId] = named;
  const refuse = (issue: Issue) => new Invalid([issue]);
  if (toolId === undefined) {
    const msg = "tool_id is missing: give it in the body, or in the query as ?tool_id=<tool_id>.";
    throw refuse({ loc: ["body", "tool_id"], msg, type: "missing" });
  }
  if (named.some((id) => id !== toolId)) {
    const msg = "tool_id differs between query and body: give it once, or the same in both.";
    throw refuse({ loc: ["body", "tool_id"], msg, type: "contradiction" });
  }
  return toolId;
}

const tracking = ({ body, caller }: CallRequest, executionId: string) => ({
  caller,
  eventType: "tool_execute" as const,
  executionId,
  sessionId: body.session_id ?? executionId,
  searchId: body.search_id,
  model: body.model,
});

/** An unknown mode is ignored, and not recorded. */
const cacheMode = (header: string | undefined) =>
  header === "default" || header === "bypass" ? { cache_mode: header } : {};

function unavailable(tool: Tool): { reason: ReasonCode; message: string } | null {
  switch (tool.availability) {
    case "available":
      return null;
    case "unavailable":
      return { reason: "tool_unavailable", message: `${tool.tool_id} is unavailable. Run Discover again.` };
    case "region_restricted":
      return {
        reason: "region_restricted",
        message: `${tool.tool_id} is not available in this region. Choose another tool.`,
      };
    case "oauth_required":
      return {
        reason: "oauth_signin_required",
        message: `${tool.tool_id} needs an OAuth sign-in with its provider before it can be called.`,
      };
  }
}

/** An unknown id: an event without a price, and an answer that refers the client to Discover. */
async function unknownTool(
  toolId: string,
  executionId: string,
  request: CallRequest,
  context: Context,
): Promise<CallAnswer> {
  const shown = JSON.stringify(toolId.slice(0, 128));
  const wellFormed = toolIdPattern.test(toolId);
  const message = wellFormed
    ? `There is no tool ${shown}.${suggestion(
        toolId,
        context.catalog.tools.map(({ tool_id }) => tool_id),
      )} Run Discover again.`
    : `${shown} is not a tool id: use the exact id that Discover returned.`;
  const recorded = await context.books.record(
    usageEvent(
      {
        ...tracking(request, executionId),
        displayTarget: toolId.slice(0, 128),
        durationMs: 0,
        toolId: toolId.slice(0, 128),
        success: false,
        errorMessage: message,
        request: { tool_id: toolId.slice(0, 128), parameters: request.body.parameters },
        response: { success: false },
      },
      "tool_unavailable",
    ),
  );
  if (recorded === "insufficient") throw new Error("a call of an unknown tool was priced");
  const remaining = credits(recorded.remaining);
  if (wellFormed) return failed(executionId, message, remaining);
  return {
    status: 422,
    body: {
      ...failureBody(executionId, message, remaining),
      details: [{ loc: ["body", "tool_id"], msg: message, type: "tool_id_format" }],
    },
  };
}

const failureBody = (executionId: string, message: string, remaining: number) => ({
  execution_id: executionId,
  success: false as const,
  error_message: message,
  result: null,
  execution_time: 0,
  elapsed_time_ms: 0,
  billing: { summary: "0 credits: nothing was executed", list_amount_credits: 0 },
  cost: 0,
  remaining_credits: remaining,
});

const failed = (executionId: string, message: string, remaining: number): CallAnswer => ({
  status: 200,
  body: failureBody(executionId, message, remaining),
});
