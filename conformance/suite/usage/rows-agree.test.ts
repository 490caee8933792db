import { expect, test } from "vitest";
import { nothingMissing } from "../../judge/missing.ts";
import { TrafficJudge } from "../../traffic/traffic-judge.ts";

/** What a recording says of LEDG-03 where one entry is read twice, with these amounts. */
function judged(...amounts: readonly (number | string)[]): string | undefined {
  const judge = new TrafficJudge("server", false);
  for (const [index, amount] of amounts.entries()) {
    const items = [{ id: "entry-1", entry_type: "consume_tool_execute", amount_credits: amount }];
    const exchange = {
      operation: "listLedger" as const,
      account: "«key 1»",
      started_at: 1_800_000_000_000 + index,
      duration_ms: 0,
      request: { method: "GET", url: "http://127.0.0.1/api/v1/auth/credits/ledger", headers: {}, body: null },
      response: { status: 200, headers: {}, body: JSON.stringify({ status: "success", data: { items } }) },
      error: null,
    };
    judge.see({ exchange, missing: nothingMissing });
  }
  return judge.findings().find(({ id }) => id === "LEDG-03/across")?.verdict;
}

test("an amount may be written in any way, and differ by the noise of floating point", () => {
  expect(judged(-2, -1.9999999999995)).not.toBe("fail");
  expect(judged(-0.1, "-0.100")).not.toBe("fail");
});

test("an amount that changes is reported", () => {
  expect(judged(-2, -1.96)).toBe("fail");
});
