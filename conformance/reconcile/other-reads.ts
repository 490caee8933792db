import type { ClauseId } from "../../generated/clauses.ts";
import type { Account } from "../server/account.ts";
import type { Find } from "../books/pairs.ts";
import { auditExport, auditFeed, auditSettlements, isOfHistory } from "../books/other-reads.ts";
import type { Other, Read } from "./reader.ts";
import type { Held } from "./state.ts";

/** What every part of a reconciliation needs: the account, where findings go, and what was checked so far. */
export interface ReconcileContext {
  account: Account;
  find: Find;
  held: Map<string, Held>;
}

/** Checks exports, feed and settlement history of a slice, if they were read, against its lists. */
export function holdOthers(context: ReconcileContext, { events, entries, others }: Read): void {
  if (others === null) return;
  const { find } = context;
  const history = entries.filter(isOfHistory);
  hold(context, "usage export", events.length, others.usageExport, (text) =>
    auditExport("exportUsage", text, events, find),
  );
  hold(context, "ledger export", history.length, others.ledgerExport, (text) =>
    auditExport("exportLedger", text, history, find),
  );
  hold(
    context,
    "usage feed",
    events.length,
    others.feed,
    (items) => auditFeed(items, events, find),
    "UFED-02",
  );
  hold(
    context,
    "settlement history",
    history.length,
    others.settlements,
    (items) => auditSettlements(items, { events, entries }, find),
    "ACCT-18",
  );
}

/** Audits another read, and counts the rows that it was checked against. */
function hold<T>(
  { find, held: all }: ReconcileContext,
  what: string,
  rows: number,
  other: Other<T>,
  audit: (got: T) => boolean,
  clause?: ClauseId,
): void {
  const held = all.get(what) ?? { what, rows: 0, why: null };
  all.set(what, held);
  if ("got" in other) {
    if (audit(other.got)) held.rows += rows;
    else held.why ??= "not all of its rows show an id of the list's rows";
  } else if ("why" in other) held.why ??= other.why;
  else if (clause !== undefined) {
    find({
      name: `${what.replace(" ", "-")}-broken`,
      clauses: [clause],
      title: `the ${what} cannot be read through`,
      fact: other.fault.fact,
    });
  }
}
