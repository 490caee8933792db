import type { ReasonCode } from "../../generated/contract.ts";
import { AccountClosed, BookRefusal, NoOpenHold } from "../billing/book.ts";
import { ruleOf } from "../billing/price.ts";
import { priced } from "../billing/statement.ts";
import type { Tool } from "../catalog/tool.ts";
import { CannotServe, Unauthorized } from "../http/errors.ts";
import type { Context } from "../http/operation.ts";
import type { Bill, Execution, Recorded, Settlement } from "../parts.ts";
import { OutcomeUnknown } from "../storage/connection.ts";
import type { NewUsageEvent } from "../records.ts";
import { usageEvent, type Recording } from "./usage-event.ts";

/** A requested execution; `executeAndSettle` adds the result. */
export type Order = Omit<
  Recording,
  "durationMs" | "success" | "errorMessage" | "response" | "toolId" | "executionId"
> & {
  tool: Tool;
  executionId: string;
  parameters: Record<string, unknown>;
  /** Counts the bytes of the provider's answer. */
  hold(bytes: number): void;
};

/** An execution with its settlement written. */
export interface Settled {
  execution: Execution;
  bill: Bill;
  settlement: Settlement;
  recorded: Recorded;
}

const outcomes: Readonly<Partial<Record<ReasonCode, string>>> = {
  "result.valid": "success",
  "result.partial_success": "partial_success",
  "result.empty": "empty",
};

/**
 * Holds the maximum price of the call, executes it outside any transaction, and settles once.
 * @returns `insufficient` if the balance does not cover the hold (nothing was executed or recorded); `closed` if the
 *   account was closed while the provider was asked (nothing is charged, and an event says so)
 */
export async function executeAndSettle(
  order: Order,
  context: Context,
): Promise<Settled | "insufficient" | "closed"> {
  const { books, pricing, providers, clock, log } = context;
  const { tool, executionId } = order;
  const startedAt = clock.now();
  const hold = {
    accountId: order.caller.account.id,
    executionId,
    amount: pricing.upperBound(tool),
    event: unchargedEvent(order, "The execution was interrupted.", 0, context),
  };
  let covered: boolean;
  try {
    covered = await books.hold(hold);
  } catch (error) {
    if (error instanceof AccountClosed) throw new Unauthorized("The account is closed.");
    // The hold may exist, and since this process is alive no other would release it.
    if (error instanceof OutcomeUnknown) voidLater(executionId, hold.event, context);
    throw error;
  }
  if (!covered) return "insufficient";

  let execution: Execution;
  try {
    execution = await providers.execute(tool, order.parameters, order.hold);
  } catch (error) {
    log.error({ error, execution_id: executionId }, "the provider client failed");
    execution = {
      ...notExecuted("transport.execution_failed", "The execution failed."),
      durationMs: clock.now() - startedAt,
    };
  }
  const release = async (durationMs: number): Promise<"closed"> => {
    const event = unchargedEvent(order, accountClosed, durationMs, context);
    try {
      await books.settle(executionId, event);
      return "closed";
    } catch (error) {
      voidLater(executionId, event, context);
      throw error;
    }
  };
  const bill = pricing.bill(tool, execution);
  const settlement = pricing.settle(tool, execution, bill);
  try {
    const recorded = await books.settle(executionId, eventOf(order, execution, context));
    return { execution, bill, settlement, recorded };
  } catch (error) {
    if (error instanceof NoOpenHold) throw new CannotServe(voided);
    if (error instanceof AccountClosed) return release(execution.durationMs);
    voidLater(executionId, hold.event, context);
    throw error;
  }
}

/** This process was cut off from the database until another took it for dead. */
const voided = "The call was voided, since its result could not be recorded in time. It is not charged.";

/** The outcome of a call whose account was closed while it was under way. */
export const accountClosed =
  "The account was closed while the call was under way, so its result is withheld. It is not charged.";

/** How long the release of a hold is retried after its settlement failed, in ms. */
const voidAfterMs = 1_000;

/**
 * Releases the hold of an execution that could not be settled, as the sweep does for a dead process: its client got no
 * result, so nothing is charged. A settlement that was written after all remains.
 */
function voidLater(executionId: string, event: NewUsageEvent, parts: Pick<Context, "books" | "log">): void {
  const { books, log } = parts;
  const release = async (): Promise<void> => {
    try {
      await books.settle(executionId, event);
      log.warn({ execution_id: executionId }, "voided an execution that could not be settled");
    } catch (error) {
      if (!(error instanceof BookRefusal)) voidLater(executionId, event, parts);
    }
  };
  setTimeout(() => void release(), voidAfterMs).unref();
}

/** Writes the event of a call of a known tool that ended before the provider was asked. */
export async function recordRefusal(
  order: Order,
  reason: ReasonCode,
  message: string,
  context: Context,
): Promise<Settled> {
  const { books, pricing } = context;
  const execution = notExecuted(reason, message);
  const bill = pricing.bill(order.tool, execution);
  const settlement = pricing.settle(order.tool, execution, bill);
  const recorded = await books.record(eventOf(order, execution, context));
  if (recorded === "insufficient") throw new Error(`the refusal of ${order.executionId} was priced`);
  return { execution, bill, settlement, recorded };
}

const notExecuted = (reason: ReasonCode, message: string): Execution => ({
  reason,
  success: false,
  statusCode: null,
  message,
  quantity: 0,
  durationMs: 0,
});

/** The event of an execution whose client gets no result: without a charge, whatever the tool's rule. */
function unchargedEvent(order: Order, message: string, durationMs: number, context: Context): NewUsageEvent {
  const reason = "transport.execution_failed";
  const settlement = {
    billableSuccess: false,
    amount: 0,
    chargeOutcome: "failed_not_charged",
    reason,
  } as const;
  return eventOf(order, { ...notExecuted(reason, message), durationMs }, context, settlement);
}

function eventOf(
  order: Order,
  execution: Execution,
  { pricing }: Context,
  settled?: Settlement,
): NewUsageEvent {
  const { tool } = order;
  const bill = pricing.bill(tool, execution);
  const settlement = settled ?? pricing.settle(tool, execution, bill);
  const outcome = outcomes[execution.reason] ?? "failed";
  return {
    ...usageEvent(
      {
        ...order,
        toolId: tool.tool_id,
        durationMs: execution.durationMs,
        success: execution.success,
        errorMessage: execution.message,
        response: {
          success: execution.success,
          ...(execution.statusCode !== null && { status_code: execution.statusCode }),
          ...(execution.success && { quantity: execution.quantity }),
        },
      },
      priced(ruleOf(tool), bill, settlement),
    ),
    execution_outcome: {
      outcome,
      reason_code: execution.reason,
      message: execution.message,
      ...(execution.statusCode !== null && { provider_status_code: execution.statusCode }),
    },
    outcome,
    outcome_message: execution.message,
  };
}
