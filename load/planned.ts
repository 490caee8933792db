import type { Headers } from "../conformance/judge/exchange.ts";
import { operations, type OperationId } from "../generated/contract.ts";
import { pathOf } from "../conformance/judge/operations.ts";
import type { Profile, Use } from "../conformance/subject/profile.ts";
import type { Limited } from "../conformance/subject/windows.ts";
import { Unverifiable } from "../conformance/judge/verdict.ts";

/** Who sends a request: one key of an account, or nobody that the server knows. */
export interface Sender {
  /** What the account is called in reports; all its keys share it. */
  account: string;
  key: string | null;
  /** Tells the keys of one account apart without showing them. */
  keyName: string;
}

/** A request that a load sends, once or many times. */
export interface Planned {
  operation: OperationId;
  /** What the figures are grouped by. */
  step: string;
  sender: Sender;
  method: "GET" | "POST";
  /** Below the base URL, with its query. */
  path: string;
  headers: Headers;
  body: string | null;
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
 * A request of one of the four operations that costs nothing and succeeds.
 * @throws Unverifiable when no tool is known that it could name
 */
export function freePlan(operation: Limited, sender: Sender, { tools }: Profile): Planned {
  if (operation === "discover") return plan(operation, sender, { body: { query: "data", limit: 1 } });
  const use = tools.included ?? tools.charged ?? Object.values(tools)[0];
  if (use === undefined) {
    throw new Unverifiable("no tool is given, nor found", "tools: {included: TOOL_ID}");
  }
  if (operation === "call") return callPlan(sender, use);
  if (operation === "inspect") return plan(operation, sender, { body: { tool_ids: [use.id] } });
  const body = { parameters: use.parameters ?? {}, checks: ["schema"] };
  return plan(operation, sender, { query: `?tool_id=${encodeURIComponent(use.id)}`, body });
}

/** A Call of a tool. */
export const callPlan = (sender: Sender, { id, parameters = {} }: Use, step = "call"): Planned =>
  plan("call", sender, { step, body: { tool_id: id, parameters } });
