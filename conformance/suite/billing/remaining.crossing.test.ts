import { expect, test } from "vitest";
import { nothingMissing } from "../../judge/missing.ts";
import { TrafficJudge } from "../../traffic/traffic-judge.ts";

/** An exchange of one account: when it began and ended, in ms, and the credits that its answer leaves. */
type Step = readonly [operation: "call" | "inspect", began: number, ended: number, left: number];

/** What the whole recording of one account says of the two rules; each Call bills 1. */
function judged(...steps: readonly Step[]): Record<string, string | undefined> {
  const judge = new TrafficJudge("server", true);
  for (const [operation, began, ended, remaining_credits] of steps.toSorted(
    (one, other) => one[2] - other[2],
  )) {
    const body =
      operation === "inspect"
        ? { results: [], remaining_credits }
        : {
            execution_id: `e-${began}`,
            success: true,
            remaining_credits,
            billing: { list_amount_credits: 1 },
          };
    const path = operation === "inspect" ? "tools/by-ids" : "tools/execute";
    const exchange = {
      operation,
      account: "«key 1»",
      started_at: 1_800_000_000_000 + began,
      duration_ms: ended - began,
      request: { method: "POST", url: `http://127.0.0.1/api/v1/${path}`, headers: {}, body: "{}" },
      response: { status: 200, headers: {}, body: JSON.stringify(body) },
      error: null,
    };
    judge.see({ exchange, missing: nothingMissing });
  }
  const found = judge.findings();
  const verdictOf = (id: string): string | undefined => found.find((finding) => finding.id === id)?.verdict;
  return { inspect: verdictOf("INSP-18/across"), call: verdictOf("BILL-04/across") };
}

test("a Call takes what it bills, an Inspect nothing", () => {
  expect(judged(["call", 0, 10, 9], ["call", 20, 30, 8], ["inspect", 40, 50, 8])).toEqual({
    inspect: "pass",
    call: "pass",
  });
  expect(judged(["call", 0, 10, 9], ["call", 20, 30, 7.5])).toMatchObject({ call: "fail" });
  expect(judged(["call", 0, 10, 9], ["inspect", 20, 30, 8.5])).toMatchObject({ inspect: "fail" });
});

test("the answer to a slow Call need not count one that was charged meanwhile", () => {
  const both = [
    ["call", 0, 30, 9],
    ["call", 5, 10, 8],
  ] as const;
  expect(judged(...both, ["inspect", 40, 50, 8]).inspect).not.toBe("fail");
  expect(judged(...both, ["call", 40, 50, 7]).call).not.toBe("fail");
  expect(judged(...both, ["inspect", 40, 50, 7.5]).inspect).toBe("fail");
});

test("an answer may be as late as the audit, and count no Call of the last seconds", () => {
  const late = (ms: number) =>
    judged(["call", 0, 10, 9], ["inspect", ms, ms, 10], ["inspect", 9_000, 9_010, 9]);
  expect(late(4_000).inspect).not.toBe("fail");
  expect(late(6_000).inspect).toBe("fail");
});
