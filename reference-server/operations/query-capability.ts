import { credits, micro, type Micro } from "../billing/money.ts";
import { inCredits } from "../billing/price.ts";
import { violations } from "../catalog/parameters.ts";
import { clipped } from "../clipped.ts";
import { published, type Capability, type Tool } from "../catalog/tool.ts";
import { forbidden, HttpError, Invalid, notFound } from "../http/errors.ts";
import type { Answer, Context, Operation } from "../http/operation.ts";
import { newExecutionId } from "../ids.ts";
import { assertDelegated } from "./delegation.ts";
import { accountClosed, executeAndSettle, recordRefusal, type Order, type Settled } from "./execution.ts";

/**
 * Runs the best candidate of a capability whose upper-bound price provably fits `max_credits` (contract: Capability
 * query). The answer names the contract version that was current when the execution began.
 */
export const queryCapability: Operation<"queryCapability"> = async ({ body, caller, hold }, context) => {
  const { delegation } = caller.credential;
  if (delegation !== null) assertDelegated(delegation, body);
  const capability = context.catalog.capability(body.capability_id);
  if (capability === undefined)
    throw notFound(`There is no capability ${JSON.stringify(clipped(body.capability_id, 128))}.`);
  if (delegation !== null && delegation.providerId !== capability.provider_id) {
    throw forbidden("The delegation token does not open this capability's provider.");
  }

  const most = Math.min(body.max_credits ?? Infinity, delegation?.maxCredits ?? Infinity);
  const tool = candidateWithin(capability, most, context);
  const executionId = newExecutionId(context);
  const parameters = body.parameters ?? {};
  const order: Order = {
    caller,
    eventType: "capabilities_query",
    executionId,
    sessionId: body.session_id ?? executionId,
    searchId: body.search_id,
    capabilityId: capability.capability_id,
    tool,
    displayTarget: capability.name,
    parameters,
    hold,
    request: { capability_id: body.capability_id, parameters, max_credits: body.max_credits },
  };
  const broken = [...violations(capability, parameters)];
  if (broken.length > 0) {
    await recordRefusal(order, "validation_error", broken.map(({ message }) => message).join(" "), context);
    throw new Invalid(
      broken.map(({ param, type, message }) => ({ loc: ["body", "parameters", param], msg: message, type })),
    );
  }

  const settled = await executeAndSettle(order, context);
  if (settled === "insufficient") {
    throw new HttpError(
      402,
      `This query can cost up to ${inCredits(context.pricing.upperBound(tool))}, more than the account has left.`,
    );
  }
  if (settled === "closed") throw notFound(accountClosed);
  return answerOf(executionId, capability, settled);
};

/**
 * The first candidate whose upper bound is within a budget in credits.
 * @throws HttpError 503 if no candidate is available, 422 if none is within the budget
 */
function candidateWithin(capability: Capability, most: number, { catalog, pricing }: Context): Tool {
  const candidates = capability.candidates
    .map((id) => catalog.find(id))
    .filter((tool): tool is Tool => tool?.availability === "available");
  if (candidates.length === 0) {
    throw new HttpError(503, "None of the capability's candidates is available. Try again later.");
  }
  const tool = candidates.find((candidate) => fits(pricing.upperBound(candidate), most));
  if (tool === undefined) {
    throw new HttpError(422, `No candidate is provably within max_credits, which is ${most}.`);
  }
  return tool;
}

function answerOf(
  executionId: string,
  capability: Capability,
  { execution, bill, settlement, recorded }: Settled,
): Answer<"queryCapability"> {
  if (execution.reason === "transport.timeout") {
    throw new HttpError(408, `The provider did not answer in time. Nothing was charged for ${executionId}.`);
  }
  if (execution.reason === "transport.execution_failed") {
    throw new HttpError(500, `The query failed. Nothing was charged for ${executionId}.`);
  }
  return {
    status: 200,
    body: {
      execution_id: executionId,
      capability_id: capability.capability_id,
      success: execution.success,
      result: { status_code: execution.statusCode ?? 0, data: execution.data ?? null },
      ...published(capability),
      cost: execution.success ? credits(bill.listAmount) : 0,
      credits_used: credits(settlement.amount),
      remaining_credits: credits(recorded.remaining),
    },
  };
}

/**
 * Whether an upper bound in micro-credits is within a budget in credits. The budget may have any number of decimals;
 * the tolerance is a thousandth of a micro-credit, finer than any price.
 */
const fits = (upperBound: Micro, most: number): boolean => upperBound <= most * micro(1) + 0.001;
