import { describe, expect, test } from "vitest";
import { exportLedger } from "../operations/export-ledger.ts";
import { exportUsage } from "../operations/export-usage.ts";
import { getCreditsSpent } from "../operations/get-credits-spent.ts";
import { getLedgerReadiness } from "../operations/get-ledger-readiness.ts";
import { listLedger } from "../operations/list-ledger.ts";
import { listSettlements } from "../operations/list-settlements.ts";
import { listUsageFeed } from "../operations/list-usage-feed.ts";
import { listUsage } from "../operations/list-usage.ts";
import type { Context } from "../http/operation.ts";
import { requestOf } from "./history.fixture.ts";

const lists = { listUsage, listLedger };
const usage = { listUsage, exportUsage, listUsageFeed };
const all = { ...usage, listLedger, exportLedger, listSettlements, getCreditsSpent, getLedgerReadiness };

const conditions: [string, object, RegExp, Record<string, unknown>][] = [
  ["an invalid start", { start_date: "tomorrow" }, /start_date.*YYYY-MM-DD.*ISO 8601/, all],
  ["an invalid end", { end_date: "2026-02-30" }, /end_date.*YYYY-MM-DD.*ISO 8601/, all],
  ["an invalid bucket", { bucket: "month" }, /bucket.*hour, day or week/, lists],
  ["an invalid bucket with a summary", { bucket: "", summary: true }, /bucket.*hour, day or week/, lists],
  ["a negative least", { min_credits: -0.1 }, /min_credits.*at least 0/, { ...usage, listLedger }],
  ["a negative greatest", { max_credits: -1 }, /max_credits.*at least 0/, { ...usage, listLedger }],
  [
    "an inverted range",
    { min_credits: 2, max_credits: 1 },
    /min_credits.*max_credits/,
    { ...usage, listLedger },
  ],
  ["an invalid direction", { direction: "toString" }, /direction.*consume, grant or any/, { listLedger }],
];

describe.each(conditions)("%s is refused with 400 and -7", (_, query, message, operations) => {
  test.each(Object.keys(operations))("by %s", async (name) => {
    const operation = operations[name] as (request: unknown, context: Context) => Promise<unknown>;
    expect(await operation(requestOf("mine", query), {} as Context)).toEqual({
      status: 400,
      body: { status: "failure", message: expect.stringMatching(message), status_code: -7, data: null },
    });
  });
});
