import { canonical } from "../../../base/data.ts";
import type { ClauseId } from "../../../generated/clauses.ts";
import { sentJson, type Exchange } from "../../judge/exchange.ts";
import { factOf, type Breach, type Judgement } from "../../judge/rule.ts";
import { isFields, type Seen } from "../../judge/seen.ts";
import {
  brief,
  crossing,
  isSurelyAfter,
  type Crossing,
  type Ending,
  type Passing,
} from "../../judge/crossing.ts";
import { sumOf } from "../../judge/credits.ts";
import { callOf, paidCallOf, type SentCall, type Sight } from "../../judge/memory.ts";
import { Recent } from "../../judge/recent.ts";
import { costOf, usageEventsOf } from "../../judge/rows.ts";
import { refusedPlaces } from "./refused-places.ts";
import { chargesOf, shownBy, type Sought } from "./lookup.ts";

/** A person may decide to repeat a request, but not sooner than this after a lost answer, in ms. */
const automatically = 60_000;
/** Retry-After is in whole seconds, so a retry this much earlier, in ms, still honours it. */
const rounding = 1000;

/** Statuses that reveal neither that a Call was refused nor its outcome. */
const unknownOutcome: readonly number[] = [408, 500, 502, 503, 504];

/** A Call whose outcome its client does not know. */
interface Open extends Sought, Pick<SentCall, "same"> {
  account: string | null;
  /** Epoch milliseconds at which its client gave up. */
  ended: number;
  doubtMs: number;
  /** It costs credits, by what its client was shown. */
  isPriced: boolean;
  /** What was searched for when its tool was found. */
  query: string | null;
}

/** Whether a Call repeats an open one for the same task, by itself: another task may want the same for its own reasons. */
function isSameTask(
  before: Open,
  { search, session, query }: Pick<Open, "search" | "session" | "query">,
  at: number,
): boolean {
  if (search !== null && search === before.search && session === before.session) return true;
  const isAlike = session === before.session || (query !== null && query === before.query);
  return isAlike && at - before.ended <= automatically;
}

/** Whether a Call costs credits, by what its client was shown, or by its answer. */
function isPaid(seen: Seen | null, sights: readonly Sight[]): boolean {
  const price = sights.findLast((sight) => sight.price !== null)?.price;
  if (price != null) return price > 0;
  const body = seen !== null && isFields(seen.body) ? seen.body : {};
  const billing = isFields(body["billing"]) ? body["billing"] : {};
  const amounts = [body["cost"], body["credits_used"], billing["list_amount_credits"]];
  return amounts.some((amount) => typeof amount === "number" && amount > 0);
}

/** An unsuccessful Call of a client. */
interface Refused {
  ended: number;
  doubtMs: number;
  /** The id under which a usage event will show the reason. */
  executionId: string | null;
  reason: string | null;
  /** The fields other than the parameters, any of which may be at fault; null when the answer names the parameters. */
  others: string | null;
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

    return (passing): Judgement => {
      const { exchange, seen, ended, doubtMs } = passing;
      const { account, operation, started_at: at } = exchange;
      if (operation === "discover" && exchange.response?.status === 200) discovered.set(String(account), at);
      if (seen !== null) {
        for (const { execution_id: id, reason_code: code } of usageEventsOf(seen)) {
          if (typeof id !== "string" || typeof code !== "string") continue;
          const refused = byExecution.get(id);
          if (refused !== undefined) refused.reason = code;
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
      // Another field of the request was at fault, and it may be fixed.
      if (seen?.status === 422 && refusesOthers(seen.body)) return null;
      if (seen?.status === 422 || (seen?.status === 200 && body?.["success"] === false)) {
        const id = body?.["execution_id"];
        const one: Refused = {
          ended,
          doubtMs,
          executionId: typeof id === "string" ? id : null,
          reason: seen.status === 422 ? "validation_error" : null,
          others: seen.status === 422 && refusedPlaces(seen.body).length === 0 ? othersOf(exchange) : null,
        };
        refused.set(name, one);
        if (one.executionId !== null) byExecution.set(one.executionId, one);
      }
      if (before === undefined || !isSurelyAfter(passing, before)) return null;
      if (before.others !== null && before.others !== othersOf(exchange)) return null;
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

/** What a Call asks for in addition to its tool and parameters. */
function othersOf(exchange: Exchange): string {
  const sent = sentJson(exchange);
  const {
    tool_id: _tool,
    parameters: _own,
    search_id: _search,
    session_id: _session,
    ...others
  } = isFields(sent) ? sent : {};
  return canonical(others);
}

/** Whether an answer refuses fields of a Call, and `parameters` is none of them. */
function refusesOthers(body: unknown): boolean {
  const places = refusedPlaces(body);
  return places.length > 0 && !places.some((place) => place.includes("parameters"));
}

/** A client's behaviour after an unsuccessful answer. */
export const clientRules: Crossing[] = [
  crossing("FLOW-15", "no paid Call is repeated while its outcome is unknown", ({ memory, audit }) => {
    const open = new Recent<string, Open>(2000);
    /** Repeated Calls of unknown price, which the audit may show. */
    const suspects = new Recent<Exchange, { calls: Open[]; breach: Breach }>(2000);
    const follow = (passing: Passing): Judgement => {
      const { exchange, seen, lost, ended, doubtMs } = passing;
      const { account, started_at: at } = exchange;
      let cleared = false;
      for (const [name, refused] of [...open.entries()]) {
        if (refused.account !== account || refused.ended > at || shownBy(exchange, seen, refused) === null)
          continue;
        open.delete(name);
        cleared = true;
      }
      if (cleared) return true;
      const call = paidCallOf(exchange);
      if (call === null) return null;
      const name = `${account ?? ""}\n${call.same}`;
      const before = open.get(name);
      const isOpen = lost || unknownOutcome.includes(exchange.response?.status ?? 0);
      const query = call.search === null ? null : (memory.searches.get(call.search)?.query ?? null);
      const isPriced = isPaid(seen, memory.sightsOf(account, call.tool, at));
      const refused = { ...call, account, startedAt: at, ended, doubtMs, isPriced, query, executionId: null };
      if (isOpen) open.set(name, refused);
      if (before === undefined || !isSurelyAfter(passing, before)) return null;
      if (!isSameTask(before, { ...call, query }, at)) return null;
      const breach = {
        expected: `a look at the usage audit before another Call of ${call.tool}, which costs credits`,
        received: `the same Call again, ${Math.round(at - before.ended)} ms after its answer was lost`,
      };
      if (!isPriced) suspects.set(brief(exchange), { calls: [before, refused], breach });
      return isPriced ? breach : null;
    };
    function* end(): Generator<Ending> {
      for (const [exchange, { calls, breach }] of suspects.entries()) {
        const events = audit.get(calls[0]!.account ?? "") ?? [];
        const charges = new Set(calls.flatMap((call) => chargesOf(events, call)));
        if (charges.size < 2) continue;
        const credits = sumOf([...charges].map(costOf));
        const note = `the audit shows ${charges.size} charges, ${credits} credits together`;
        yield { exchange, judgement: { ...factOf(breach), note } };
      }
    }
    return { follow, end };
  }),
  crossing(
    "FLOW-22",
    "a Call whose answer was lost is looked up",
    (recording) => {
      const open = new Recent<Exchange, Open>(2000);
      const follow = ({ exchange, seen, lost, ended, doubtMs }: Passing): Judgement => {
        const { account, started_at: at } = exchange;
        let isLook = false;
        for (const [of, refused] of [...open.entries()]) {
          if (refused.account !== account || refused.ended > at || shownBy(exchange, seen, refused) === null)
            continue;
          open.delete(of);
          isLook = true;
        }
        if (isLook) return true;
        const call = paidCallOf(exchange);
        if (call === null || !(lost || unknownOutcome.includes(exchange.response?.status ?? 0))) return null;
        const sights = recording.memory.sightsOf(account, call.tool, at);
        const isPriced = exchange.operation !== "call" || isPaid(seen, sights);
        const refused = {
          ...call,
          account,
          startedAt: at,
          ended,
          doubtMs,
          isPriced,
          query: null,
          executionId: null,
        };
        open.set(brief(exchange), refused);
        return null;
      };
      function* end(): Generator<Ending> {
        if (!recording.complete) return;
        for (const [exchange, refused] of open.entries()) {
          const events = recording.audit.get(refused.account ?? "");
          const charge = chargesOf(events ?? [], refused).at(-1);
          if (events === undefined ? !refused.isPriced : charge === undefined) continue;
          const paid =
            charge === undefined ? "which may have been charged" : `which cost ${costOf(charge)} credits`;
          const expected = `a read of the usage audit that could show the Call of ${refused.tool}, ${paid}`;
          yield { exchange, judgement: { expected, received: "none until the end of the recording" } };
        }
      }
      return { follow, end };
    },
    "lost",
  ),
  notRepeated(
    "FLOW-17",
    "a Call is not repeated as it was when its tool was not found",
    "tool_unavailable",
    (tool) => `a Discover after ${tool} was not available`,
  ),
  notRepeated(
    "FLOW-18",
    "a Call is not repeated as it was after a parameter error",
    "validation_error",
    (tool) => `other parameters after ${tool} had refused them`,
  ),
  crossing("FLOW-28", "a client that is limited waits for the time in Retry-After", () => {
    const limited = new Recent<string, { ended: number; doubtMs: number; until: number }>(5000);
    return (passing): Judgement => {
      const { exchange, ended, doubtMs } = passing;
      const { account, operation, response, started_at: at } = exchange;
      if (operation === null) return null;
      const name = `${account ?? ""}\n${operation}`;
      const before = limited.get(name);
      const seconds = response?.status === 429 ? response.headers["retry-after"] : undefined;
      if (seconds !== undefined && /^\d{1,7}$/.test(seconds)) {
        limited.set(name, { ended, doubtMs, until: ended + 1000 * Number(seconds) });
      }
      if (before === undefined || !isSurelyAfter(passing, before)) return null;
      const early = before.until - at;
      if (early > rounding + doubtMs + before.doubtMs) {
        return {
          expected: `no ${operation} before the ${Math.round((before.until - before.ended) / 1000)} seconds of Retry-After are over`,
          received: `one ${(early / 1000).toFixed(1)} seconds early`,
        };
      }
      return true;
    };
  }),
];
