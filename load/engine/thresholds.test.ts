import { describe, expect, test } from "vitest";
import { WrongUse } from "../../base/exit.ts";
import { Figures } from "./figures.ts";
import { sentAfter } from "./sent.fixture.ts";
import { hold, parseThreshold } from "./thresholds.ts";

const measured = ["rate", "rate_discover", "drift_p50"];
const parse = (text: string) => parseThreshold(text, measured);

describe("a threshold is read", () => {
  test.each([
    ["p99<50ms", { what: "p99", step: null, relation: "<", value: 50 }],
    ["p99.9 <= 1.5s", { what: "p99.9", relation: "<=", value: 1500 }],
    ["p50(discover)<=20ms", { what: "p50", step: "discover", value: 20 }],
    ["p50(whole path, 50/s)<20ms", { what: "p50", step: "whole path, 50/s", value: 20 }],
    ["mean>250us", { what: "mean", relation: ">", value: 0.25 }],
    [" errors=0 ", { text: "errors=0", what: "errors", relation: "=", value: 0 }],
    ["findings=0", { what: "findings" }],
    ["failed<1%", { what: "failed", value: 1, isShare: true }],
    ["429=0", { what: "429", step: null }],
    ["5xx(call)<=0.5%", { what: "5xx", step: "call", value: 0.5 }],
    ["rate>=500/s", { what: "rate", relation: ">=", value: 500 }],
    ["rate_discover>=500", { what: "rate_discover" }],
    ["drift_p50<1.5", { what: "drift_p50", value: 1.5 }],
  ])("%s", (text, expected) => {
    expect(parse(text)).toMatchObject(expected);
  });
});

describe("anything else is refused, with the reason", () => {
  test.each([
    ["", "is not a threshold"],
    ["p99", "is not a threshold"],
    ["p99<fast", "is not a threshold"],
    ["p99<50", "p99<50ms"],
    ["rate<1%", "without %"],
    ["601=0", "is not a threshold"],
    ["errors=0ms", "without ms"],
    ["p101<50ms", "from p0 to p100"],
    [
      "error=0",
      "there are pNN, mean, statuses such as 429 or 5xx, failed, errors, findings, unfinished, lateness_ms, rate, rate_discover, drift_p50",
    ],
    ["findings(discover)=0", "takes no step"],
  ])("%j", (text, why) => {
    expect(() => parse(text)).toThrow(WrongUse);
    expect(() => parse(text)).toThrow(why);
    expect(() => parse(text)).toThrow(JSON.stringify(text));
  });
});

describe("a threshold is held", () => {
  const figures = new Figures();
  for (let ms = 1; ms <= 100; ms += 1) figures.take(sentAfter(ms, { step: ms <= 50 ? "discover" : "call" }));
  for (let index = 0; index < 2; index += 1)
    figures.take({ ...sentAfter(5), answer: new Error("socket hang up") });
  for (let index = 0; index < 98; index += 1) figures.take(sentAfter(0.1, { status: 503, step: "call" }));

  test.each([
    ["p50<51ms", true, 50],
    ["p50<50ms", false, 50],
    ["p100<=100.1ms", true, 100],
    ["p50(discover)<=25.1ms", true, 25],
    ["p50(nothing)<=25ms", false, null],
    ["failed=100", true, 100],
    ["errors<=99", false, 100],
    ["failed<=50%", true, 50],
    ["failed<50%", false, 50],
    ["503=0", false, 98],
    ["5xx(discover)=0", true, 0],
    ["429=0", true, 0],
    ["429(nothing)=0", false, null],
    ["rate>=500", true, 500],
    ["rate>500", false, 500],
    ["rate_discover>0", false, null],
  ])("%s: %s", (text, kept, value) => {
    const [held] = hold([parse(text)], figures, { rate: 500 });
    expect(held!.kept).toBe(kept);
    if (value === null) expect(held!.measured).toBeNull();
    else expect(Math.abs(held!.measured! - value)).toBeLessThan(0.1);
  });
});
