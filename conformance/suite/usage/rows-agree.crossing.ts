import { canonical } from "../../../base/data.ts";
import type { ClauseId } from "../../../generated/clauses.ts";
import type { Judgement } from "../../judge/rule.ts";
import { isFields } from "../../judge/seen.ts";
import { crossing, type Crossing } from "../../judge/crossing.ts";
import { creditsOf, sameCredits } from "../../judge/credits.ts";
import { callOf, type SentCall } from "../../judge/memory.ts";
import { Recent } from "../../judge/recent.ts";
import { ledgerEntriesOf, requestedOf, settledOf, usageEventsOf, type Row } from "../../judge/rows.ts";
import { isEntryOfCall, movesSettled, unreviewedMs } from "../../books/pairs.ts";

const kept = 10_000;

/** A Call with its answer. */
export interface Answered {
  sent: SentCall | null;
  body: Row;
}

/** A rule that compares a Call with its usage event. */
interface OfCall {
  clause: ClauseId;
  title: string;
  judge: (event: Row, call: Answered) => Judgement;
}

/** The rule, when a recording holds both. */
const onEventOfCall = ({ clause, title, judge }: OfCall): Crossing =>
  crossing(clause, title, () => {
    const calls = new Recent<string, Answered>(kept);
    return ({ exchange, seen }): Judgement => {
      if (seen === null) return null;
      if (seen.operation === "call" && isFields(seen.body)) {
        const { execution_id: id, success, billing } = seen.body;
        if (typeof id === "string") calls.set(id, { sent: callOf(exchange), body: { success, billing } });
        return null;
      }
      let judged: Judgement = null;
      for (const event of usageEventsOf(seen)) {
        const { execution_id: id, event_type: type } = event;
        const call = typeof id === "string" && type === "tool_execute" ? calls.get(id) : undefined;
        const judgement = call === undefined ? null : judge(event, call);
        if (judgement !== null && judgement !== true) return judgement;
        judged ??= judgement;
      }
      return judged;
    };
  });

/** Rules that the event repeats a value of the request under the same name. */
const carries = (
  clause: ClauseId,
  name: "session_id" | "search_id" | "tool_id",
  given: (sent: SentCall) => string | null,
): OfCall => ({
  clause,
  title: `the event of a Call carries the ${name} that was sent`,
  judge(event, { sent }) {
    const value = sent === null ? null : given(sent);
    if (value === null) return null;
    return event[name] === value || { expected: `${name} ${value}`, received: String(event[name]) };
  },
});

/** The rules that compare a Call with its usage event. */
export const rulesOfCall: readonly OfCall[] = [
  {
    clause: "BILL-03",
    title: "success of a Call equals the recorded one",
    judge(event, { body }) {
      if (typeof body["success"] !== "boolean" || typeof event["success"] !== "boolean") return null;
      const expected = `success ${body["success"]} in the event of ${String(event["execution_id"])}`;
      return event["success"] === body["success"] || { expected, received: String(event["success"]) };
    },
  },
  {
    clause: "BILL-07",
    title: "the billed list amount is the requested one",
    judge(event, { body }) {
      const listed = isFields(body["billing"]) ? body["billing"]["list_amount_credits"] : undefined;
      const requested = requestedOf(event);
      if (body["success"] !== true || typeof listed !== "number" || requested === undefined) return null;
      return (
        sameCredits(listed, requested) || {
          expected: `${listed} credits requested`,
          received: String(requested),
        }
      );
    },
  },
  carries("USAG-08", "session_id", ({ session }) => session),
  carries("USAG-09", "search_id", ({ search }) => search),
  carries("USAG-11", "tool_id", ({ tool }) => tool),
];

/** The parts of an entry that never change, as texts: `absent` for those that the answer does not show. */
const unchanging = (entry: Row): string[] => {
  const { entry_type: type, amount_credits: amount, execution_id: execution, created_at: at } = entry;
  const instant = typeof at === "string" ? Date.parse(at) : at;
  return [type, creditsOf(amount)?.toFixed(6), execution, instant].map((value) => canonical(value ?? null));
};

const absent = "null";

/** Compares each Call with its usage events and ledger entries in the same recording. */
export const crossings: Crossing[] = [
  crossing("CALL-02", "no two Calls have one execution_id", () => {
    const calls = new Recent<string, string>(kept);
    return ({ exchange, seen }): Judgement => {
      const id = seen?.operation === "call" && isFields(seen.body) ? seen.body["execution_id"] : undefined;
      if (typeof id !== "string" || id === "") return null;
      // An exchange that occurs twice in a recording is one Call.
      const one = `${exchange.started_at} ${exchange.duration_ms} ${exchange.request.body ?? ""}`;
      const other = calls.get(id);
      calls.set(id, one);
      if (other === undefined || other === one) return true;
      return { expected: "an execution_id that no other Call has", received: id };
    };
  }),
  ...rulesOfCall.map(onEventOfCall),
  crossing("BILL-11", "a Call has one usage event and one ledger entry", () => {
    const rows = new Recent<string, string>(kept);
    const onlyOne = (kind: string, row: Row): Judgement => {
      const { execution_id: execution, id } = row;
      if (typeof execution !== "string" || typeof id !== "string") return null;
      const other = rows.get(`${kind} ${execution}`);
      rows.set(`${kind} ${execution}`, id);
      if (other === undefined || other === id) return true;
      return { expected: `one ${kind} of ${execution}`, received: `${other} and ${id}` };
    };
    return ({ seen }): Judgement => {
      if (seen === null) return null;
      const judged = [
        ...usageEventsOf(seen)
          .filter(({ event_type: type }) => type === "tool_execute")
          .map((event) => onlyOne("usage event", event)),
        ...ledgerEntriesOf(seen)
          .filter(isEntryOfCall)
          .map((entry) => onlyOne("ledger entry", entry)),
      ];
      return judged.find((one) => one !== null && one !== true) ?? (judged.includes(true) || null);
    };
  }),
  crossing("BILL-05", "what a Call settled for is what its ledger entry moves", () => {
    const settled = new Recent<string, number>(kept);
    const moved = new Recent<string, number>(kept);
    const agree = (id: string): Judgement => {
      const [event, entry] = [settled.get(id), moved.get(id)];
      if (event === undefined || entry === undefined) return null;
      return (
        movesSettled(event, entry) || {
          expected: `an entry of ${-event} credits for ${id}`,
          received: String(entry),
        }
      );
    };
    return ({ seen }): Judgement => {
      if (seen === null) return null;
      const touched: string[] = [];
      for (const event of usageEventsOf(seen)) {
        const { execution_id: id, event_type: type, charge_outcome: outcome } = event;
        const amount = settledOf(event);
        if (typeof id !== "string" || type !== "tool_execute" || outcome !== "charged") continue;
        if (amount === undefined) continue;
        settled.set(id, amount);
        touched.push(id);
      }
      for (const { execution_id: id, entry_type: type, amount_credits: amount } of ledgerEntriesOf(seen)) {
        if (typeof id !== "string" || type !== "consume_tool_execute" || typeof amount !== "number") continue;
        moved.set(id, amount);
        touched.push(id);
      }
      const judged = touched.map(agree);
      return judged.find((one) => one !== null && one !== true) ?? (judged.includes(true) || null);
    };
  }),
  crossing("BILL-23", "a Call that is not charged has no consuming ledger entry", () => {
    const called = new Recent<string, number>(kept);
    const outcomes = new Recent<string, string>(kept);
    const consumed = new Recent<string, number>(kept);
    return ({ exchange, seen }): Judgement => {
      if (seen === null) return null;
      const isCall = seen.operation === "call" || seen.operation === "queryCapability";
      const execution = isCall && isFields(seen.body) ? seen.body["execution_id"] : undefined;
      if (typeof execution === "string") called.set(execution, exchange.started_at);
      const touched: string[] = [];
      for (const { execution_id: id, charge_outcome: outcome } of usageEventsOf(seen)) {
        if (typeof id !== "string" || typeof outcome !== "string") continue;
        // A review may find that a Call should not have been charged; the entry of its charge never changes.
        const isFresh = exchange.started_at - (called.get(id) ?? -Infinity) < unreviewedMs;
        const mayBeReviewed = !isFresh || outcomes.get(id) === "failed_charged_review";
        if (outcome === "failed_not_charged" && mayBeReviewed) continue;
        outcomes.set(id, outcome);
        touched.push(id);
      }
      for (const { execution_id: id, amount_credits: amount } of ledgerEntriesOf(seen)) {
        if (typeof id !== "string" || typeof amount !== "number" || amount >= 0) continue;
        consumed.set(id, amount);
        touched.push(id);
      }
      for (const id of touched) {
        const amount = consumed.get(id);
        if (outcomes.get(id) === "failed_not_charged" && amount !== undefined) {
          return {
            expected: `no consuming entry for ${id}, which is failed_not_charged`,
            received: String(amount),
          };
        }
      }
      return touched.some((id) => outcomes.get(id) === "failed_not_charged") || null;
    };
  }),
  crossing("LEDG-03", "a ledger entry never changes", () => {
    const entries = new Recent<string, string[]>(kept);
    return ({ seen }): Judgement => {
      let judged: Judgement = null;
      for (const entry of seen === null ? [] : ledgerEntriesOf(seen)) {
        const { id } = entry;
        if (typeof id !== "string") continue;
        const before = entries.get(id);
        // Another answer may show more or less of it.
        const now = unchanging(entry).map((value, at) =>
          value === absent ? (before?.[at] ?? absent) : value,
        );
        entries.set(id, now);
        if (before === undefined) continue;
        if (now.some((value, at) => before[at] !== absent && before[at] !== value)) {
          return { expected: `the entry ${id} as before: ${before.join()}`, received: now.join() };
        }
        judged = true;
      }
      return judged;
    };
  }),
];
