import { sameCredits } from "../../judge/credits.ts";
import { momentOf } from "../../judge/instant.ts";
import {
  amountOf,
  balanceOf,
  creditsAt,
  eachOf,
  ledgerEntriesOf,
  listData,
  type Row,
} from "../../judge/rows.ts";
import { isFields } from "../../judge/seen.ts";
import { holds, about, rule, type Rule } from "../../judge/rule.ts";

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
    rule("LEDG-21", "page is the page that was asked for", (seen) => {
      const data = listData(seen, "listLedger");
      const asked = Number(seen.query.get("page") ?? 1);
      return data === null ? null : holds(data["page"] === asked, `page ${asked}`, data["page"]);
    }),
    rule("LEDG-16", "created_at is a timestamp", (seen) =>
      eachEntry(
        seen,
        () => true,
        (entry) => momentOf(entry["created_at"]) !== undefined,
        "created_at as a timestamp",
      ),
    ),
    rule("LEDG-01", "no entry is listed twice in one answer", (seen) => {
      const ids = listData(seen, "listLedger")?.items.map((entry) =>
        isFields(entry) ? entry["id"] : undefined,
      );
      if (!ids || ids.length < 2) return null;
      if (new Set(ids).size === ids.length) return true;
      // Entries without an id are not duplicates.
      const twice = ids.find((id, index) => id !== undefined && ids.indexOf(id) !== index);
      return holds(twice === undefined, "each id once", twice);
    }),
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
    rule("LEDG-22", "entries are in reverse chronological order", (seen) => {
      const entries = listData(seen, "listLedger") === null ? [] : ledgerEntriesOf(seen);
      const times = entries
        .map((entry) => momentOf(entry["created_at"]))
        .filter((time) => time !== undefined);
      if (times.length < 2) return null;
      const late = times.findIndex((time, index) => index > 0 && time > times[index - 1]!);
      return holds(late === -1, "no entry newer than the one before it", entries[late]);
    }),
    rule("LEDG-24", "a page holds no more than its size", (seen) => {
      const data = listData(seen, "listLedger");
      const size = data?.["page_size"];
      if (data === null || typeof size !== "number" || data.items.length === 0) return null;
      return holds(data.items.length <= size, `at most page_size (${size}) items`, data.items.length);
    }),
  ],
);
