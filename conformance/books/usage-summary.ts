import { chargeOutcomeMeanings, chargeOutcomes, type ChargeOutcome } from "../../generated/contract.ts";
import { requestedOf, settledOf, type Row } from "../judge/rows.ts";
import type { Figure, Summary } from "./summary.ts";

const asCount = (holds: boolean): number => Number(holds);
const outcomeOf = (event: Row): unknown => event["charge_outcome"];

/** The outcomes that mean an effective success, or a positive amount. */
const meaning = (what: "effectiveSuccess" | "positiveAmount"): ChargeOutcome[] =>
  chargeOutcomes.filter((outcome) => chargeOutcomeMeanings[outcome][what]);
const effective: readonly unknown[] = meaning("effectiveSuccess");

const bucketed = { bucketType: "USUM-13" } as const;
const count = { ...bucketed, kind: "count", type: "USUM-03", adds: "USUM-14" } as const;
const credits = { ...bucketed, kind: "credits", adds: "USUM-16" } as const;

const outcomes = chargeOutcomes.map((outcome): Figure => ({
  ...count,
  path: `charge_outcome_counts.${outcome}`,
  inBucket: `${outcome}_count`,
  type: "USUM-04",
  adds: "USUM-15",
  follows: "USUM-05",
  of: [(event) => asCount(outcomeOf(event) === outcome)],
  by: "charge_outcome",
}));

/** The summary of usage events. */
export const usageSummary: Summary = {
  list: "listUsage",
  row: "event",
  figures: [
    { ...count, path: "total_count", inBucket: "total_count", follows: "USUM-06", of: [() => 1] },
    {
      ...count,
      path: "success_count",
      inBucket: "success_count",
      follows: "USUM-07",
      // The contract does not say whether it counts the recorded or the effective success.
      of: [
        (event) => asCount(event["success"] === true),
        (event) => asCount(effective.includes(outcomeOf(event))),
      ],
    },
    { ...count, path: "failure_count", inBucket: "failure_count" },
    ...outcomes,
    {
      ...credits,
      path: "pre_settlement_credits",
      inBucket: "pre_settlement_credits",
      type: "USUM-09",
      follows: "USUM-08",
      of: [(event) => requestedOf(event) ?? 0],
      shownAs: ["requested_amount_credits", "pre_settlement_amount_credits"],
      from: ["total_count"],
    },
    {
      ...credits,
      path: "settled_credits",
      inBucket: "settled_credits",
      type: "USUM-09",
      follows: "USUM-09",
      of: [(event) => settledOf(event) ?? 0],
      shownAs: ["settled_amount_credits", "actual_amount_credits"],
      from: meaning("positiveAmount").map((outcome) => `${outcome}_count`),
    },
  ],
  parts: [
    { clause: "USUM-03", paths: ["success_count", "failure_count"] },
    { clause: "USUM-04", paths: outcomes.map(({ path }) => path) },
  ],
  samples: { path: "max_charge_items", amount: settledOf, count: "USUM-10", largest: "USUM-11" },
  window: "USUM-01",
  buckets: "USUM-12",
  spans: "USUM-17",
  defaultWindow: "USUM-18",
  defaultBucket: "USUM-19",
  bucket: "USUM-20",
  filters: "USUM-21",
  lastMonth: "USUM-14",
};
