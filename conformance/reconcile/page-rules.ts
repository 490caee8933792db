import type { Exchange } from "../judge/exchange.ts";
import type { Row } from "../judge/rows.ts";
import { factOf, type Breach, type Rule } from "../judge/rule.ts";
import { isFields, memberOf, seenOf, type Seen } from "../judge/seen.ts";
import type { Find } from "../books/pairs.ts";
import { mayBreak } from "../suite/rules.ts";

/** The clauses about an account's books, by the prefix of their area. */
const ofBooks = /^(ACCT|BILL|LEDG|LEXP|LSUM|UEXP|UFED|USAG|USUM)-/;

/** Applies the suite's rules about single answers to one that was read; names each row that breaks a rule. */
export function holdPage(exchange: Exchange, json: () => unknown, find: Find): void {
  const seen = seenOf(exchange, undefined, json);
  if (seen === null) return;
  for (const rule of mayBreak(seen)) {
    if (!ofBooks.test(rule.clauses[0]!)) continue;
    const breach = breachOf(rule, seen);
    if (breach === null) continue;
    const rows = rowsThatBreak(rule, seen);
    const report = (of: Breach, row?: Row): void =>
      find({
        name: rule.id,
        clauses: rule.clauses.slice(0, 1),
        title: rule.title,
        fact: factOf(of),
        [seen.operation === "listLedger" || seen.operation === "getLedgerEntry" ? "entry" : "event"]: row,
      });
    if (rows.length === 0) report(breach);
    for (const { row, of } of rows) report(of, row);
  }
}

function breachOf(rule: Rule, seen: Seen): Breach | null {
  const judgement = rule.judge(seen);
  return judgement === true ? null : judgement;
}

/** The rows of a list that break a rule when the list holds nothing else; none if the rule is about the list. */
function rowsThatBreak(rule: Rule, seen: Seen): { row: Row; of: Breach }[] {
  const data = memberOf(seen.body, "data");
  const items = memberOf(data, "items");
  if (!Array.isArray(items)) return [];
  return items.filter(isFields).flatMap((row) => {
    const body = { ...(seen.body as Row), data: { ...(data as Row), items: [row] } };
    const of = breachOf(rule, { ...seen, body });
    return of === null ? [] : [{ row, of }];
  });
}
