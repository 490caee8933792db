import { chargeOutcomeMeanings, chargeOutcomes, type ChargeOutcome } from "../../generated/contract.ts";
import type { components } from "../../generated/api.ts";
import { credits } from "../billing/money.ts";
import { usageEventColumns } from "../records.ts";
import { plainColumns, rowsOf } from "./rows.ts";
import type { History } from "./history.ts";
import type { AccountScope } from "./rows.ts";
import type { Sized, Summary } from "./summary.ts";
import { countWhole, type Measure, type Tally } from "./tally.ts";
import { listedColumns, type ListedEvent, type UsageEventBody, usageEventBody } from "./usage-event.ts";
import { rollupsCover, selectsAll, type UsageFilter, whereRollups, whereUsage } from "./usage-filter.ts";

/** One value for each charge outcome, under a name derived from it. */
const perOutcome = <Name extends string, Value>(
  name: (outcome: ChargeOutcome) => Name,
  value: (outcome: ChargeOutcome) => Value,
) => Object.fromEntries(chargeOutcomes.map((each) => [name(each), value(each)])) as Record<Name, Value>;
const countOf = <Outcome extends ChargeOutcome>(outcome: Outcome) => `${outcome}_count` as const;

const figures = {
  total_count: { count: "1 = 1" },
  success_count: { count: "success = 1" },
  ...perOutcome(countOf, (outcome) => ({ count: `charge_outcome = '${outcome}'` })),
  requested: { sum: "requested_amount" },
  settled: { sum: "settled_amount" },
} satisfies Record<string, Measure>;
type Figure = keyof typeof figures;

const withAmount = chargeOutcomes.filter((outcome) => chargeOutcomeMeanings[outcome].positiveAmount);

/** The masked API key of an event, read with its row, so that a page needs one statement. */
const shownKey = Object.fromEntries(
  (["name", "masked_value"] as const).map((column) => [
    `api_key_${column}`,
    `(SELECT ${column} FROM api_keys WHERE api_keys.id = usage_events.api_key_id)`,
  ]),
);
const listed = rowsOf<ListedEvent>("usage_events", { ...plainColumns(listedColumns), ...shownKey });
const detailed = rowsOf<ListedEvent>("usage_events", { ...plainColumns(usageEventColumns), ...shownKey });

/** The usage events of an account. `success_count` counts recorded success. */
export const usage: History<UsageFilter, ListedEvent, UsageEventBody, Figure> & Sized<Figure> = {
  feed: "usage",
  table: "usage_events",
  rollups: "usage_rollups",
  counter: "event_count",
  total: "total_count",
  figures,
  rows: (details) => (details ? detailed : listed),
  whereRows: whereUsage,
  whereRollups,
  rollupsCover,
  show: usageEventBody,
  selectsAll,
  size: "settled_amount",
  wherePositive: (rows) => rows.whereIn("charge_outcome", withAmount),
  countPositive: (total) => withAmount.reduce((sum, outcome) => sum + total[countOf(outcome)], 0),
};

/** The fields shared by a summary and its buckets. */
const shared = (tally: Tally<Figure>) => ({
  total_count: tally.total_count,
  success_count: tally.success_count,
  failure_count: tally.total_count - tally.success_count,
  pre_settlement_credits: credits(tally.requested),
  settled_credits: credits(tally.settled),
});

/** A usage summary in the contract's form (Usage summary object). */
export const usageSummaryBody = ({
  head,
  total,
  largest,
  buckets,
}: Summary<UsageEventBody, Figure>): components["schemas"]["UsageSummary"] => ({
  ...head,
  ...shared(total),
  charge_outcome_counts: perOutcome(
    (outcome) => outcome,
    (outcome) => total[countOf(outcome)],
  ),
  max_charge_items: largest,
  buckets: buckets.map(({ bucket_start, tally }) => ({
    bucket_start,
    ...shared(tally),
    ...perOutcome(countOf, (outcome) => tally[countOf(outcome)]),
  })),
});

/** The settled credits of the events that a filter selects, as a decimal. */
export const creditsSpent = async (scope: AccountScope, filter: UsageFilter): Promise<number> =>
  credits((await countWhole(usage, scope, filter)).settled);
