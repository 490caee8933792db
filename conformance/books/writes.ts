import type { ClauseId } from "../../generated/clauses.ts";
import { chargeOutcomeMeanings, type ChargeOutcome } from "../../generated/contract.ts";
import { sameCredits, sumOf } from "../judge/credits.ts";
import type { Fault } from "../judge/fault.ts";
import { condition, type FactKind } from "../judge/fact.ts";
import { isZoneless, momentOf } from "../judge/instant.ts";
import { amountOf, settledOf, type Row } from "../judge/rows.ts";

/*
 * What a Call or a capability query leaves in the books. Two tables decide it: by how it was answered, and by what its
 * event says of its charge. Each program that holds rows against each other asks here.
 */

/** How a write was answered. */
export type Answered = "executed" | "refused" | "unknown";

/** What a write may leave, by how it was answered. */
export const leftBy: Readonly<
  Record<Answered, { event: "required where it succeeds" | "allowed"; charge: "allowed" | "none" }>
> = {
  executed: { event: "required where it succeeds", charge: "allowed" },
  refused: { event: "allowed", charge: "none" },
  // It happened, or it did not.
  unknown: { event: "allowed", charge: "allowed" },
};

/** The clauses of a charge outcome for the amount that it settles for (the spec says whether that is any) and its entry. */
export const clausesOf: Readonly<Record<ChargeOutcome, { amount: ClauseId; entry: ClauseId }>> = {
  charged: { amount: "BILL-15", entry: "BILL-11" },
  included: { amount: "BILL-17", entry: "BILL-23" },
  failed_not_charged: { amount: "BILL-19", entry: "BILL-23" },
  failed_charged_review: { amount: "BILL-21", entry: "BILL-11" },
};

/** The event of a Call. */
export interface Settled {
  id: string;
  /** Undefined where the event does not say. */
  credits: number | undefined;
  execution: string | null;
  /** Whether it is of a tool's Call: the entry of a capability query may name the execution that the query made. */
  isOfTool: boolean;
  /** The ledger entry that it links to. */
  link: string | null;
  /** A review may have found since that it should not have been charged: the entry of the charge never changes. */
  mayBeReviewed: boolean;
}

/** A ledger entry that moves credits. */
export interface Moved {
  id: string;
  credits: number;
  execution: string | null;
}

/** Whether an event is of a Call, whose charge the ledger must show. */
export const isOfCall = ({ event_type: type }: Row): boolean =>
  type === "tool_execute" || type === "capabilities_query";

/** Whether an entry is a Call's. */
export const isEntryOfCall = ({ entry_type: type }: Row): boolean => type === "consume_tool_execute";

/**
 * Whether a type of entry takes credits for no Call: no Call settles them, and only a Call is refused for "insufficient
 * credits". A refund takes back a recharge, which may be spent, and what a model call costs may be known only after it.
 */
export const isBesideCalls = (entryType: unknown): boolean =>
  ["consume_payment_refund", "consume_model_call", "consume_tool_search"].includes(String(entryType));

/** Whether an entry moves anything; a movement of nothing may have an entry too. */
export const moves = (entry: Row): boolean => !sameCredits(amountOf(entry) ?? 0, 0);

export const executionOf = ({ execution_id: id }: Row): string | null =>
  typeof id === "string" && id !== "" ? id : null;

export const linkOf = ({ credits_ledger_entry_id: id }: Row): string | null =>
  id === undefined || id === null ? null : String(id);

/** No review of a Call's charge ends within this time, in milliseconds. */
export const unreviewedMs = 3_600_000;

/** Whether a charge outcome means that nothing is charged. */
const isFree = (outcome: unknown): boolean =>
  typeof outcome === "string" && chargeOutcomeMeanings[outcome as ChargeOutcome]?.positiveAmount === false;

/** An event as its charge is judged. @param readAtMs when it was read, in epoch milliseconds */
export function settledIn(event: Row, readAtMs: number): Settled {
  const { charge_outcome: outcome, created_at: at } = event;
  const moment = momentOf(at);
  // Where a timestamp names no zone its age is unknown.
  const isOld = moment === undefined || isZoneless(at) || readAtMs - moment / 1000 >= unreviewedMs;
  return {
    id: String(event["id"]),
    credits: settledOf(event) ?? (isFree(outcome) ? 0 : undefined),
    execution: executionOf(event),
    isOfTool: event["event_type"] === "tool_execute",
    link: linkOf(event),
    mayBeReviewed: outcome === "failed_not_charged" && isOld,
  };
}

/** An entry as the charge that it moves is judged. */
export const movedIn = (entry: Row): Moved => ({
  id: String(entry["id"]),
  credits: amountOf(entry) ?? 0,
  execution: executionOf(entry),
});

/** Whether a Call's event settles for something that no entry moves yet: it is due within `audit_lag`. */
export const isEntryDue = ({ credits = 0 }: Settled, entries: readonly Moved[]): boolean =>
  credits > 0 && entries.length === 0;

/** What is wrong where the entry of a charge never comes. */
export const missingEntry = ({ credits = 0 }: Settled): Fault => ({
  name: "charge-without-entry",
  clauses: [clausesOf.charged.entry],
  title: "a charge has no ledger entry",
  fact: condition(`an entry of ${-credits} credits`, "none", { kind: "row" }),
});

/** An event that settles for something names its execution. */
export const unnamedCharge = ({ credits = 0, execution }: Settled): Fault | null =>
  credits > 0 && execution === null
    ? {
        name: "charge-without-execution",
        clauses: ["USAG-07"],
        title: "the event of a charge names no execution",
        fact: condition("the execution_id that a Call returned", "none", {
          kind: "member",
          place: "execution_id",
        }),
      }
    : null;

/** What is wrong where the event of a tool's Call links to an entry that names another execution. */
export const linkFault = (event: Settled, entry: Moved): Fault | null =>
  !event.isOfTool ||
  entry.execution === null ||
  event.execution === null ||
  entry.execution === event.execution
    ? null
    : {
        name: "linked-to-another",
        clauses: ["LEDG-10"],
        title: "an event links to the ledger entry of another execution",
        fact: condition(`an entry of ${event.execution}`, `one of ${entry.execution}`, { kind: "value" }),
      };

/**
 * What an event and the entries of its Call cannot both say: which execution, whether there is a charge, how many
 * entries, how much, and the link.
 * @returns null where they agree, or an entry is still due
 */
export function chargeFault(event: Settled, entries: readonly Moved[]): Fault | null {
  const { credits, link } = event;
  const [entry] = entries;
  if (credits === undefined || entry === undefined) return null;
  const moved = sumOf(entries.map((entry) => entry.credits));
  const fault = (
    kind: FactKind,
    name: string,
    clause: ClauseId,
    title: string,
    expected: string,
    received: string,
  ): Fault => ({ name, clauses: [clause], title, fact: condition(expected, received, { kind }) });
  const wrongLink = linkFault(event, entry);
  if (wrongLink !== null) return wrongLink;
  if (credits === 0)
    return moved < 0 && !event.mayBeReviewed
      ? fault(
          "row",
          "uncharged-with-entry",
          clausesOf.failed_not_charged.entry,
          "a Call that is not charged has a consuming ledger entry",
          "no entry",
          `an entry of ${moved} credits`,
        )
      : null;
  if (entries.length > 1)
    return fault(
      "row",
      "charged-twice",
      "BILL-12",
      "a Call has several ledger entries",
      "one ledger entry",
      entries.map(({ id }) => id).join(" and "),
    );
  if (!sameCredits(credits, -moved))
    return fault(
      "amount",
      "amounts-differ",
      "BILL-05",
      "usage event and ledger entry name different amounts",
      `an entry of ${-credits} credits`,
      `an entry of ${moved} credits`,
    );
  if (link === null)
    return fault(
      "member",
      "charge-without-link",
      clausesOf.charged.entry,
      "the event of a charge links to no ledger entry",
      `a link to entry ${entry.id}`,
      "none",
    );
  return link === entry.id
    ? null
    : fault(
        "value",
        "linked-to-another",
        clausesOf.charged.entry,
        "the event of a charge links to another ledger entry than its own",
        `a link to entry ${entry.id}`,
        `one to ${link}`,
      );
}

/**
 * What is wrong where an account at rest has other credits left than its entries have left.
 * @param shown the balance, or the amounts among which it is
 */
export function restFault(left: number, shown: readonly number[]): Fault {
  const isHeld = shown.every((amount) => amount < left);
  return {
    name: isHeld ? "held-at-rest" : "more-left-at-rest",
    clauses: ["BILL-12"],
    title: isHeld
      ? "credits stay held while nothing moves"
      : "the balance at rest is not what the entries have left",
    fact: condition(`${left} credits, as the entries have left`, shown.join(", "), { kind: "amount" }),
  };
}
