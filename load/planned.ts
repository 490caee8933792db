import { encoded } from "../base/address.ts";
import { operations, type LimitedOperation, type OperationId } from "../generated/contract.ts";
import { pathOf } from "../conformance/judge/operations.ts";
import type { Profile, Use } from "../conformance/server/profile.ts";
import { Unverifiable } from "../conformance/judge/verdict.ts";
import type { Request } from "./engine/request.ts";
import type { Wanted } from "./expected.ts";

/** The sender of a request: one key of an account, or a stranger to the server. */
export interface Sender {
  /** The account's name in reports, shared by all its keys. */
  account: string;
  key: string | null;
  /** Distinguishes the keys of one account without showing them. */
  keyName: string;
  /** Whether the account can afford charged Calls. */
  pays?: boolean;
}

/** A request that a load sends once or many times. */
export interface Planned extends Request {
  operation: OperationId;
  sender: Sender;
  /** What it may end in besides a success. */
  wants?: readonly Wanted[];
}

/** A request of an operation by a sender. */
export function plan(
  operation: OperationId,
  sender: Sender,
  { query = "", body, step = operation }: { query?: string; body?: object; step?: string } = {},
): Planned {
  return {
    operation,
    step,
    sender,
    method: operations[operation].method,
    path: pathOf(operation) + query,
    headers: {
      accept: "application/json",
      ...(sender.key === null ? {} : { authorization: `Bearer ${sender.key}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  };
}

/**
 * A request of one of the four operations that is free and succeeds.
 * @throws Unverifiable if no tool is known that it could name
 */
export function freePlan(operation: LimitedOperation, sender: Sender, { tools }: Profile): Planned {
  if (operation === "discover") return plan(operation, sender, { body: { query: "data", limit: 1 } });
  const use = tools.included ?? tools.charged ?? Object.values(tools)[0];
  if (use === undefined) {
    throw new Unverifiable("no tool is given, nor found", "tools: {included: TOOL_ID}");
  }
  if (operation === "call") return callPlan(sender, use);
  if (operation === "inspect") return plan(operation, sender, { body: { tool_ids: [use.id] } });
  const body = { parameters: use.parameters ?? {}, checks: ["schema"] };
  return plan(operation, sender, { query: `?tool_id=${encoded(use.id)}`, body });
}

/** A Call of a tool; `more` extends the body. */
export const callPlan = (sender: Sender, { id, parameters = {} }: Use, more: object = {}): Planned =>
  plan("call", sender, { body: { tool_id: id, parameters, ...more } });
