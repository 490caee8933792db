import type { ClauseId } from "../../../generated/clauses.ts";
import type { Judgement } from "../../judge/rule.ts";
import { isFields } from "../../judge/seen.ts";
import { crossing, type Crossing } from "../../judge/crossing.ts";
import { sameCredits } from "../../judge/credits.ts";
import { expectedWords, receivedWords } from "../../judge/fact.ts";
import { callOf, type SentCall } from "../../judge/memory.ts";
import { Recent } from "../../judge/recent.ts";
import { ledgerEntriesOf, requestedOf, usageEventsOf, type Row } from "../../judge/rows.ts";
import { differ, joined, lastingOf, wordsOf, type Lasting } from "../../books/lasting.ts";
import {
  chargeFault,
  executionOf,
  isEntryOfCall,
  isOfCall,
  movedIn,
  settledIn,
  type Moved,
  type Settled,
} from "../../books/writes.ts";

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

interface Known extends Settled {
  outcome: unknown;
}

/**
 * The rule that holds the event and the entry of each Call against each other, when a recording holds both.
 * @param isJudged whether a Call shows anything of the clause
 */
function onCharges(
  clause: ClauseId,
  title: string,
  isJudged: (event: Known, entry: Moved | undefined) => boolean,
): Crossing {
  return crossing(clause, title, () => {
    const events = new Recent<string, Known>(kept);
    const entries = new Recent<string, Moved>(kept);
    const judge = (execution: string): Judgement => {
      const [event, entry] = [events.get(execution), entries.get(execution)];
      if (event === undefined || !isJudged(event, entry)) return null;
      const fault = entry === undefined ? null : chargeFault(event, [entry]);
      return (
        fault?.clauses[0] !== clause || {
          expected: `${expectedWords(fault.fact)} for ${execution}`,
          received: receivedWords(fault.fact),
        }
      );
    };
    return ({ exchange, seen }): Judgement => {
      if (seen === null) return null;
      const touched = new Set<string>();
      for (const event of usageEventsOf(seen).filter(isOfCall)) {
        const settled = settledIn(event, exchange.started_at);
        if (settled.execution === null) continue;
        const before = events.get(settled.execution);
        const wasReviewed = before?.outcome === "failed_charged_review" || before?.mayBeReviewed === true;
        events.set(settled.execution, {
          ...settled,
          outcome: event["charge_outcome"],
          mayBeReviewed: settled.mayBeReviewed || wasReviewed,
        });
        touched.add(settled.execution);
      }
      for (const entry of ledgerEntriesOf(seen).filter(isEntryOfCall)) {
        const execution = executionOf(entry);
        if (execution === null) continue;
        entries.set(execution, movedIn(entry));
        touched.add(execution);
      }
      const judged = [...touched].map(judge);
      return (
        judged.find((judgement) => judgement !== null && judgement !== true) ??
        (judged.includes(true) || null)
      );
    };
  });
}

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
      return (
        judged.find((judgement) => judgement !== null && judgement !== true) ??
        (judged.includes(true) || null)
      );
    };
  }),
  onCharges("BILL-05", "what a Call settled for is what its ledger entry moves", ({ credits = 0 }, entry) =>
    credits > 0 ? entry !== undefined : false,
  ),
  onCharges(
    "BILL-23",
    "a Call that is not charged has no consuming ledger entry",
    ({ outcome }) => outcome === "failed_not_charged",
  ),
  crossing("LEDG-03", "a ledger entry never changes", () => {
    const entries = new Recent<string, Lasting>(kept);
    return ({ seen }): Judgement => {
      let judged: Judgement = null;
      for (const entry of seen === null ? [] : ledgerEntriesOf(seen)) {
        const { id } = entry;
        if (typeof id !== "string") continue;
        const [before, now] = [entries.get(id), lastingOf(entry)];
        if (before !== undefined && differ(before, now))
          return { expected: `the entry ${id} as before: ${wordsOf(before)}`, received: wordsOf(now) };
        entries.set(id, before === undefined ? now : joined(before, now));
        if (before !== undefined) judged = true;
      }
      return judged;
    };
  }),
];
