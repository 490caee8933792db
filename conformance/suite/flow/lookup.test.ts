import { describe, expect, test } from "vitest";
import type { OperationId } from "../../../generated/contract.ts";
import type { Exchange } from "../../judge/exchange.ts";
import { seenOf } from "../../judge/seen.ts";
import { shownBy } from "./lookup.ts";

const startedAt = Date.parse("2026-11-20T09:30:00.000Z");
const call = { tool: "weather", search: "search 1", session: null, startedAt, executionId: null };

/** What a read without rows shows of the Call. */
function shownByNothing(operation: OperationId, query: string): unknown {
  const data = { items: [], total: 0, page: 1, page_size: 50, summary: null };
  const exchange = {
    operation,
    request: { method: "GET", url: `http://127.0.0.1/api/v1/read?${query}`, headers: {}, body: null },
    response: {
      status: 200,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ status: "success", message: "ok", status_code: 0, data }),
    },
  } as unknown as Exchange;
  return shownBy(exchange, seenOf(exchange), call);
}

describe("a read without rows shows that a Call was not charged", () => {
  test.each(["", "&charge_outcome=charged", "&success=true", "&billable_success=true", "&min_credits=0.1"])(
    "of its search%s",
    (more) => expect(shownByNothing("listUsage", `search_id=search+1${more}`)).toBe("absent"),
  );
  test.each(["", "entry_type=consume_tool_execute", "direction=consume"])("in the ledger, %s", (query) =>
    expect(shownByNothing("listLedger", query)).toBe("absent"),
  );
});

describe("a read that leaves every charged Call out shows nothing of one", () => {
  test.each([
    "charge_outcome=failed_not_charged",
    "success=false",
    "billable_success=false",
    "anomaly=missing_ledger_link",
  ])("%s", (filter) => expect(shownByNothing("listUsage", `search_id=search+1&${filter}`)).toBeNull());
  test.each(["direction=grant", "entry_type=grant_welcome_bonus"])("%s", (query) =>
    expect(shownByNothing("listLedger", query)).toBeNull(),
  );
});
