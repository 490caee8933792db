import { isFields, valuesAt, type Seen } from "../../judge/seen.ts";
import { fields, holds, about, rule, type FieldRow, type Rule } from "../../judge/rule.ts";
import { dayOrInstantOf, instantOf, isTimestamp } from "../../judge/instant.ts";

type Fields = Record<string, unknown>;

const summaryOf = (seen: Seen): Fields | null => {
  if (seen.operation !== "listLedger" || seen.status !== 200) return null;
  const summary = valuesAt(seen.body, "data.summary")[0]?.value;
  return isFields(summary) ? summary : null;
};

const when = (seen: Seen): boolean => summaryOf(seen) !== null;
const there = { when };
const absolute = { when, meaning: "at least 0", is: (value: unknown) => Number(value) >= 0 };
const at = "data.summary";

const timestamp = { when, meaning: "an ISO 8601 timestamp", is: isTimestamp };

const bucketRows: FieldRow[] = [
  [
    "LSUM-10",
    `${at}.buckets.*.bucket_start`,
    ["string"],
    { when, meaning: "a timestamp", is: (value) => !Number.isNaN(dayOrInstantOf(value)) },
  ],
  ...["entry_count", "consume_count", "grant_count"].map((name): FieldRow => [
    "LSUM-10",
    `${at}.buckets.*.${name}`,
    ["integer"],
    absolute,
  ]),
  ...["consumed_credits", "granted_credits"].map((name): FieldRow => [
    "LSUM-10",
    `${at}.buckets.*.${name}`,
    ["number"],
    absolute,
  ]),
  ["LSUM-10", `${at}.buckets.*.net_amount_credits`, ["number"], there],
];

/** Amounts that differ by less are equal; a sum of many may have lost a little more than one amount. */
const near = (one: unknown, other: number): boolean => Math.abs(Number(one) - other) < 1e-5;

/** Holds sums of the buckets' figures against the summary's. */
function addUp(seen: Seen, figures: Readonly<Record<string, string>>) {
  const summary = summaryOf(seen);
  const buckets = summary?.["buckets"];
  if (!summary || !Array.isArray(buckets)) return null;
  const sum = (name: string): number =>
    buckets.reduce<number>((total, one) => total + (isFields(one) ? Number(one[name]) : NaN), 0);
  const off = Object.entries(figures).find(([mine, theirs]) => !near(summary[theirs], sum(mine)));
  return holds(
    off === undefined,
    off ? `${off[1]} ${String(summary[off[1]])} to be the sum of the buckets' ${off[0]}` : "",
    off && sum(off[0]),
  );
}

/** Which of a bucket's counts each of its credits comes from. */
const countOf: Readonly<Record<string, string>> = {
  consumed_credits: "consume_count",
  granted_credits: "grant_count",
  net_amount_credits: "entry_count",
};

/** The summary object of the ledger list. */
export const rules: readonly Rule[] = about(
  ["listLedger"],
  [
    ...fields("listLedger", 200, [
      ["LSUM-01", `${at}.start_date`, ["string"], timestamp],
      ["LSUM-01", `${at}.end_date`, ["string"], timestamp],
      [
        "LSUM-01",
        `${at}.bucket`,
        ["string"],
        {
          when,
          meaning: "hour, day or week",
          is: (value) => ["hour", "day", "week"].includes(value as string),
        },
      ],
      ...["total_entries", "consume_count", "grant_count"].map((name): FieldRow => [
        "LSUM-02",
        `${at}.${name}`,
        ["integer"],
        absolute,
      ]),
      ["LSUM-05", `${at}.consumed_credits`, ["number"], absolute],
      ["LSUM-06", `${at}.granted_credits`, ["number"], absolute],
      ["LSUM-07", `${at}.net_amount_credits`, ["number"], there],
      ["LSUM-08", `${at}.max_amount_items`, ["array"], there],
      ["LSUM-10", `${at}.buckets`, ["array"], there],
      ...bucketRows,
    ]),
    rule("LSUM-01", "the window of a summary begins before it ends", (seen) => {
      const summary = summaryOf(seen);
      const [start, end] = [instantOf(summary?.["start_date"]), instantOf(summary?.["end_date"])];
      const asked = ["start_date", "end_date"].map((name) => dayOrInstantOf(seen.query.get(name)));
      // Who asks for a window that ends before it begins may be told so.
      if (Number.isNaN(start) || Number.isNaN(end) || asked[0]! > asked[1]!) return null;
      return holds(start <= end, "start_date not after end_date", { start, end });
    }),
    rule("LSUM-02", "consumptions and grants are all entries", (seen) => {
      const summary = summaryOf(seen);
      if (!summary) return null;
      const { total_entries: total, consume_count: consumed, grant_count: granted } = summary;
      return holds(
        Number(consumed) + Number(granted) === total,
        "consume_count and grant_count to add up to total_entries",
        {
          total,
          consumed,
          granted,
        },
      );
    }),
    rule("LSUM-07", "the net amount is what was granted less what was consumed", (seen) => {
      const summary = summaryOf(seen);
      if (!summary) return null;
      const { net_amount_credits: net, granted_credits: granted, consumed_credits: consumed } = summary;
      return holds(near(net, Number(granted) - Number(consumed)), "granted_credits less consumed_credits", {
        net,
        granted,
        consumed,
      });
    }),
    rule("LSUM-09", "the largest movements are at most `limit`", (seen) => {
      const items = summaryOf(seen)?.["max_amount_items"];
      if (!Array.isArray(items)) return null;
      const most = Math.min(50, Number(seen.query.get("limit") ?? 10));
      return holds(items.length <= most, `at most ${most} max_amount_items`, items.length);
    }),
    rule("LSUM-11", "the buckets' counts add up to the summary's", (seen) =>
      addUp(seen, {
        entry_count: "total_entries",
        consume_count: "consume_count",
        grant_count: "grant_count",
      }),
    ),
    rule("LSUM-12", "the buckets' credits add up to the summary's", (seen) =>
      addUp(seen, {
        consumed_credits: "consumed_credits",
        granted_credits: "granted_credits",
        net_amount_credits: "net_amount_credits",
      }),
    ),
    rule("LSUM-13", "a bucket that counts no entry of a kind has no credits of it", (seen) => {
      const buckets = summaryOf(seen)?.["buckets"];
      if (!Array.isArray(buckets)) return null;
      const empty = buckets
        .filter(isFields)
        .flatMap((bucket) =>
          Object.entries(countOf).flatMap(([credits, count]) =>
            bucket[count] === 0 ? [[bucket, credits] as const] : [],
          ),
        );
      if (empty.length === 0) return null;
      const [bucket, credits] = empty.find(([one, name]) => !near(one[name], 0)) ?? [];
      return holds(bucket === undefined, `${credits} 0 in a bucket that counts none of them`, bucket);
    }),
  ],
);
