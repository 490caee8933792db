import { isFields, valuesAt, type Seen } from "../../judge/seen.ts";
import { fields, holds, about, rule, type FieldRow, type Rule } from "../../judge/rule.ts";
import { instantOf, isTimestamp } from "../../judge/instant.ts";

const entryTypes = [
  "grant_payment_recharge",
  "grant_welcome_bonus",
  "grant_invitation_reward",
  "consume_tool_search",
  "consume_tool_execute",
  "consume_model_call",
  "consume_payment_refund",
];

/** Amounts that differ by less are equal: JSON numbers are decimal, machines are not. */
const near = (one: number, other: number): boolean => Math.abs(one - other) < 1e-6;

const succeeded = (seen: Seen): boolean => isFields(seen.body) && seen.body["status"] === "success";
const optional = { optional: true };
const text = ["string", "null"] as const;
const object = ["object", "null"] as const;
const amount = ["number", "null"] as const;

/** The rows of a ledger entry that stands at a path. */
const entryRows = (at: string): FieldRow[] => [
  ["LEDG-01", `${at}.id`, ["string"], { when: succeeded, meaning: "not empty", is: (value) => value !== "" }],
  [
    "LEDG-02",
    `${at}.entry_type`,
    ["string"],
    {
      when: succeeded,
      meaning: `one of ${entryTypes.join(", ")}`,
      is: (value) => entryTypes.includes(value as string),
    },
  ],
  [
    "LEDG-04",
    `${at}.amount_credits`,
    ["number"],
    { when: succeeded, meaning: "other than 0", is: (value) => value !== 0 },
  ],
  ...["source_system", "source_ref_type", "execution_id", "description"].map((name): FieldRow => [
    "LEDG-09",
    `${at}.${name}`,
    text,
    optional,
  ]),
  // What the origin is known by there may be a number.
  ["LEDG-09", `${at}.source_ref_id`, ["string", "number", "null"], optional],
  ...["pre_settlement_bill", "settlement_result", "balance_before", "balance_after", "ledger_metadata"].map(
    (name): FieldRow => ["LEDG-12", `${at}.${name}`, object, optional],
  ),
  ["LEDG-12", `${at}.settlement_result.settled_amount_credits`, amount, optional],
  ["LEDG-12", `${at}.balance_before.total_available_credits`, amount, optional],
  ["LEDG-12", `${at}.balance_after.total_available_credits`, amount, optional],
  [
    "LEDG-16",
    `${at}.created_at`,
    ["string"],
    { when: succeeded, meaning: "an ISO 8601 timestamp", is: isTimestamp },
  ],
];

/** The entries that a successful answer of the ledger holds; none of any other answer. */
export function entriesOf(seen: Seen): Record<string, unknown>[] {
  if (seen.status !== 200 || !succeeded(seen)) return [];
  const path =
    seen.operation === "listLedger" ? "data.items.*" : seen.operation === "getLedgerEntry" ? "data" : null;
  if (path === null) return [];
  return valuesAt(seen.body, path)
    .map(({ value }) => value)
    .filter(isFields);
}

/** A rule about each entry of which something is known; `received` is what breaks it. */
const eachEntry = (
  seen: Seen,
  known: (entry: Record<string, unknown>) => boolean,
  kept: (entry: Record<string, unknown>) => boolean,
  expected: string,
) => {
  const entries = entriesOf(seen).filter(known);
  return entries.length === 0
    ? null
    : holds(
        entries.every(kept),
        expected,
        entries.find((entry) => !kept(entry)),
      );
};

const numberAt = (entry: Record<string, unknown>, object: string, name: string): number | undefined => {
  const inner = entry[object];
  const value = isFields(inner) ? inner[name] : undefined;
  return typeof value === "number" ? value : undefined;
};
const settled = (entry: Record<string, unknown>) =>
  numberAt(entry, "settlement_result", "settled_amount_credits");
const before = (entry: Record<string, unknown>) =>
  numberAt(entry, "balance_before", "total_available_credits");
const after = (entry: Record<string, unknown>) => numberAt(entry, "balance_after", "total_available_credits");

const signRule = (clause: "LEDG-05" | "LEDG-06", prefix: string, sign: 1 | -1, name: string): Rule =>
  rule(clause, `an entry of a ${prefix} type has a ${name} amount`, (seen) =>
    eachEntry(
      seen,
      (entry) =>
        String(entry["entry_type"]).startsWith(prefix) && typeof entry["amount_credits"] === "number",
      (entry) => sign * Number(entry["amount_credits"]) > 0,
      `a ${name} amount_credits for a ${prefix} type`,
    ),
  );

const list = (seen: Seen): unknown[] | null => {
  const data = isFields(seen.body) && isFields(seen.body["data"]) ? seen.body["data"] : {};
  return seen.operation === "listLedger" && seen.status === 200 && Array.isArray(data["items"])
    ? data["items"]
    : null;
};
const pageSize = (seen: Seen): unknown => valuesAt(seen.body, "data.page_size")[0]?.value;

/** The ledger's list and its entries, one by one. */
export const rules: readonly Rule[] = about(
  ["listLedger", "getLedgerEntry"],
  [
    ...fields("listLedger", 200, [
      ["LEDG-21", "data.items", ["array"], { when: succeeded }],
      ["LEDG-23", "data.total", ["integer"], { when: succeeded }],
      [
        "LEDG-21",
        "data.page",
        ["integer"],
        {
          when: succeeded,
          meaning: "the page that was asked for",
          is: (value, seen) => value === Number(seen.query.get("page") ?? 1),
        },
      ],
      ["LEDG-21", "data.page_size", ["integer"], { when: succeeded }],
      [
        "LEDG-25",
        "data.summary",
        ["object"],
        { when: (seen) => succeeded(seen) && seen.query.get("summary") === "true" },
      ],
      [
        "LEDG-25",
        "data.summary",
        ["null"],
        {
          optional: true,
          when: (seen) => succeeded(seen) && [null, "false"].includes(seen.query.get("summary")),
        },
      ],
      ...entryRows("data.items.*"),
    ]),
    ...fields("getLedgerEntry", 200, entryRows("data")),
    rule("LEDG-01", "no entry stands twice in one answer", (seen) => {
      const ids = list(seen)?.map((entry) => (isFields(entry) ? entry["id"] : undefined));
      if (!ids || ids.length < 2) return null;
      const twice = ids.find((id, index) => ids.indexOf(id) !== index);
      return holds(twice === undefined, "each id once", twice);
    }),
    signRule("LEDG-05", "consume_", -1, "negative"),
    signRule("LEDG-06", "grant_", 1, "positive"),
    rule("LEDG-13", "the settlement of a Call's entry is its absolute amount", (seen) =>
      eachEntry(
        seen,
        (entry) => entry["entry_type"] === "consume_tool_execute" && settled(entry) !== undefined,
        (entry) => near(settled(entry)!, Math.abs(Number(entry["amount_credits"]))),
        "settled_amount_credits equal to the absolute amount_credits",
      ),
    ),
    rule("LEDG-14", "the balances of an entry differ by its amount", (seen) =>
      eachEntry(
        seen,
        (entry) => before(entry) !== undefined && after(entry) !== undefined,
        (entry) => near(after(entry)! - before(entry)!, Number(entry["amount_credits"])),
        "balance_after less balance_before equal to amount_credits",
      ),
    ),
    rule("LEDG-22", "entries stand in reverse chronological order", (seen) => {
      const times = (list(seen) ?? [])
        .map((entry) => instantOf(isFields(entry) ? entry["created_at"] : undefined))
        .filter((time) => !Number.isNaN(time));
      if (times.length < 2) return null;
      const late = times.find((time, index) => index > 0 && time > times[index - 1]!);
      return holds(late === undefined, "no entry newer than the one before it", late);
    }),
    rule("LEDG-24", "a page holds no more than its size", (seen) => {
      const items = list(seen);
      const size = pageSize(seen);
      if (!items || typeof size !== "number" || items.length === 0) return null;
      return holds(items.length <= size, `at most page_size (${size}) items`, items.length);
    }),
  ],
);
