import { sameCredits } from "../../judge/credits.ts";
import { momentOf } from "../../judge/instant.ts";
import { amountOf, balanceOf, creditsAt, eachOf, ledgerEntriesOf, type Row } from "../../judge/rows.ts";
import { about, rule, type Rule } from "../../judge/rule.ts";
import { pageRules } from "../list.rules.ts";

const eachEntry = eachOf(ledgerEntriesOf);

const hasAmount = (entry: Row): boolean => amountOf(entry) !== undefined;

const settled = (entry: Row): number | undefined =>
  creditsAt(entry["settlement_result"], "settled_amount_credits");

const signRule = (clause: "LEDG-05" | "LEDG-06", prefix: string, sign: 1 | -1, name: string): Rule =>
  rule(clause, `an entry of a ${prefix} type has no ${name} amount`, (seen) =>
    eachEntry(
      seen,
      (entry) => String(entry["entry_type"]).startsWith(prefix) && hasAmount(entry),
      (entry) => sign * amountOf(entry)! >= 0,
      `no ${name} amount_credits for a ${prefix} type`,
    ),
  );

/** What ledger entries and their list mean; the types of their fields follow from the spec. */
export const rules: readonly Rule[] = about(
  ["listLedger", "getLedgerEntry"],
  [
    ...pageRules("listLedger", {
      asked: ["LEDG-21", "page is the page that was asked for"],
      once: ["LEDG-01", "no entry is listed twice in one answer"],
      order: ["LEDG-22", "entries are in reverse chronological order"],
      size: ["LEDG-24", "a page holds no more than its size"],
    }),
    rule("LEDG-16", "created_at is a timestamp", (seen) =>
      eachEntry(
        seen,
        () => true,
        (entry) => momentOf(entry["created_at"]) !== undefined,
        "created_at as a timestamp",
      ),
    ),
    rule("LEDG-04", "amount_credits is an amount", (seen) =>
      eachEntry(seen, () => true, hasAmount, "amount_credits as a number"),
    ),
    signRule("LEDG-05", "consume_", -1, "positive"),
    signRule("LEDG-06", "grant_", 1, "negative"),
    rule("LEDG-13", "the settlement of a Call's entry is its absolute amount", (seen) =>
      eachEntry(
        seen,
        (entry) => entry["entry_type"] === "consume_tool_execute" && settled(entry) !== undefined,
        (entry) => sameCredits(settled(entry)!, Math.abs(amountOf(entry) ?? NaN)),
        "settled_amount_credits equal to the absolute amount_credits",
      ),
    ),
    rule("LEDG-14", "the balances of an entry differ by its amount", (seen) =>
      eachEntry(
        seen,
        (entry) => balanceOf(entry, "before") !== undefined && balanceOf(entry, "after") !== undefined,
        (entry) =>
          sameCredits(balanceOf(entry, "after")! - balanceOf(entry, "before")!, amountOf(entry) ?? NaN),
        "balance_after less balance_before equal to amount_credits",
      ),
    ),
  ],
);
