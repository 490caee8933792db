import type { ClauseId } from "../../../generated/clauses.ts";
import type { OperationId } from "../../../generated/contract.ts";
import type { Breach, Judgement } from "../../judge/rule.ts";
import { isFields } from "../../judge/seen.ts";
import { crossing, type Crossing } from "../../judge/crossing.ts";
import { callOf } from "../../judge/memory.ts";
import { Recent } from "../../judge/recent.ts";
import { usageEventsOf } from "../../judge/rows.ts";

/** A person may decide to repeat a request, but not sooner than this after a lost answer, in ms. */
const automatically = 60_000;
/** Retry-After is in whole seconds, so a retry this much earlier, in ms, still honours it. */
const rounding = 1000;

/** Reads by which a client learns the outcome of a Call. */
const reconciling: readonly (OperationId | null)[] = [
  "listUsage",
  "getUsageEvent",
  "listUsageFeed",
  "exportUsage",
  "listLedger",
  "getLedgerEntry",
  "exportLedger",
];

/** Statuses that reveal neither that a Call was refused nor its outcome. */
const unknownOutcome: readonly number[] = [408, 500, 502, 503, 504];

/** An unsuccessful Call of a client. */
interface Refused {
  ended: number;
  /** The id under which a usage event will show the reason. */
  executionId: string | null;
  reason: string | null;
}

/** A Call repeated unchanged, whose reason to fail only a usage event will show. */
interface Repeated {
  tool: string;
  discovered: boolean;
}

/** Calls that failed for certain reasons must not be repeated unchanged. */
function notRepeated(
  clause: ClauseId,
  title: string,
  reason: "validation_error" | "tool_unavailable",
  expected: (tool: string) => string,
): Crossing {
  return crossing(clause, title, () => {
    const refused = new Recent<string, Refused>(2000);
    const byExecution = new Recent<string, Refused>(2000);
    const repeated = new Recent<string, Repeated>(2000);
    const discovered = new Recent<string, number>(2000);
    const breach = (tool: string): Breach => ({
      expected: expected(tool),
      received: "the same Call once more",
    });

    return ({ exchange, seen, ended }): Judgement => {
      const { account, operation, started_at: at } = exchange;
      if (operation === "discover" && exchange.response?.status === 200) discovered.set(String(account), at);
      if (seen !== null) {
        for (const { execution_id: id, reason_code: code } of usageEventsOf(seen)) {
          if (typeof id !== "string" || typeof code !== "string") continue;
          const one = byExecution.get(id);
          if (one !== undefined) one.reason = code;
          const again = repeated.get(id);
          repeated.delete(id);
          if (again === undefined || code !== reason) continue;
          if (reason === "validation_error" || !again.discovered) return breach(again.tool);
        }
      }
      const call = callOf(exchange);
      if (call === null) return null;
      // Another task may want the same for its own reasons.
      const name = [account, call.session, call.same].join("\n");
      const before = refused.get(name);
      refused.delete(name);
      const body = seen !== null && isFields(seen.body) ? seen.body : null;
      if (seen?.status === 422 || (seen?.status === 200 && body?.["success"] === false)) {
        const id = body?.["execution_id"];
        const one: Refused = {
          ended,
          executionId: typeof id === "string" ? id : null,
          reason: seen.status === 422 ? "validation_error" : null,
        };
        refused.set(name, one);
        if (one.executionId !== null) byExecution.set(one.executionId, one);
      }
      if (before === undefined || before.ended > at) return null;
      const searched = (discovered.get(String(account)) ?? -Infinity) >= before.ended;
      if (before.reason === reason) {
        return reason === "tool_unavailable" && searched ? true : breach(call.tool);
      }
      if (before.reason === null && before.executionId !== null) {
        repeated.set(before.executionId, { tool: call.tool, discovered: searched });
      }
      return null;
    };
  });
}

/** A client's behaviour after an unsuccessful answer. */
export const clientRules: Crossing[] = [
  crossing("FLOW-15", "no paid Call is repeated while its outcome is unknown", ({ memory }) => {
    const open = new Recent<string, { account: string | null; ended: number; session: string | null }>(2000);
    return ({ exchange, lost, ended }): Judgement => {
      const { account, operation, started_at: at } = exchange;
      if (reconciling.includes(operation) && exchange.response?.status === 200) {
        let cleared = false;
        for (const [name, one] of [...open.entries()]) {
          if (one.account !== account || one.ended > at) continue;
          open.delete(name);
          cleared = true;
        }
        return cleared ? true : null;
      }
      const call = callOf(exchange);
      if (call === null) return null;
      const name = `${account ?? ""}\n${call.same}`;
      const before = open.get(name);
      const isOpen = lost || unknownOutcome.includes(exchange.response?.status ?? 0);
      if (isOpen) open.set(name, { account, ended, session: call.session });
      const price = memory.sightsOf(account, call.tool, at).findLast((sight) => sight.price !== null)?.price;
      if (before === undefined || before.ended > at || !price) return null;
      if (at - before.ended > automatically || before.session !== call.session) return null;
      return {
        expected: `a look at the usage audit before another Call of ${call.tool}, which costs credits`,
        received: `the same Call again, ${Math.round(at - before.ended)} ms after its answer was lost`,
      };
    };
  }),
  notRepeated(
    "FLOW-17",
    "a Call is not repeated as it was when its tool was not found",
    "tool_unavailable",
    (tool) => `a Discover after ${tool} was not to be had`,
  ),
  notRepeated(
    "FLOW-18",
    "a Call is not repeated as it was after a parameter error",
    "validation_error",
    (tool) => `other parameters after ${tool} had refused them`,
  ),
  crossing("FLOW-28", "a client that is limited waits as long as Retry-After says", () => {
    const limited = new Recent<string, { ended: number; until: number }>(5000);
    return ({ exchange, ended }): Judgement => {
      const { account, operation, response, started_at: at } = exchange;
      if (operation === null) return null;
      const name = `${account ?? ""}\n${operation}`;
      const before = limited.get(name);
      const seconds = response?.status === 429 ? response.headers["retry-after"] : undefined;
      if (seconds !== undefined && /^\d{1,7}$/.test(seconds)) {
        limited.set(name, { ended, until: ended + 1000 * Number(seconds) });
      }
      if (before === undefined || before.ended > at) return null;
      const early = before.until - at;
      if (early > rounding) {
        return {
          expected: `no ${operation} before the ${Math.round((before.until - before.ended) / 1000)} seconds of Retry-After are over`,
          received: `one ${(early / 1000).toFixed(1)} seconds early`,
        };
      }
      return true;
    };
  }),
];
