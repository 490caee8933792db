import { describe, expect, test } from "vitest";
import { WrongUse } from "../base/exit.ts";
import { limitedOperations } from "../generated/contract.ts";
import type { Task } from "./load.ts";
import load, { readTask } from "./main.ts";
import type { Scenario } from "./scenarios/index.ts";

const parse = (line: string): Task => {
  const [scenario, ...argv] = line.split(" ").filter(Boolean);
  return readTask(scenario as Scenario, argv)!;
};

describe("a command is read", () => {
  test("defaults", () => {
    const { scenario, options, thresholds } = parse("throughput");
    expect(scenario).toBe("throughput");
    expect(options).toMatchObject({ seconds: null, rate: 50, connections: 16, accounts: 8, workers: 1 });
    expect(options!.operations).toEqual(limitedOperations);
    expect(thresholds).toEqual([]);
  });

  test("a share of lost answers from none to all", () => {
    expect(parse("history --lost 0").options).toMatchObject({ lost: 0 });
    expect(parse("history --lost 1").options).toMatchObject({ lost: 1 });
  });

  test("a soak lasts longer, at a lower rate", () => {
    expect(parse("soak").options).toMatchObject({ seconds: 300, rate: 20 });
  });

  test("conditions, one or several after one --expect", () => {
    const texts = (line: string): string[] => parse(line).thresholds.map(({ text }) => text);
    expect(texts("throughput --expect p99<50ms errors=0")).toEqual(["p99<50ms", "errors=0"]);
    expect(texts("throughput --expect p99<50ms --expect errors=0")).toEqual(["p99<50ms", "errors=0"]);
  });
});

describe("the fault of a command is reported", () => {
  test.each([
    ["throughput billing", "Too many arguments"],
    ["throughput --only call", "Unknown option '--only'"],
    ["history --lost 1.5", "--lost must be a number from 0 to 1"],
    ["soak --calls 3", "Unknown option '--calls'"],
    ["rate-limits --rate 5", "Unknown option '--rate'"],
    ["throughput --workers 100000", "--workers must be a whole number from 1 to 256"],
    ["throughput --stages 30s", "--stages must be a time and a rate, such as 30s:200"],
    ["throughput --abort-on p99<50", '--abort-on "p99<50" needs a time'],
    ["limits --find rate", "--find rate needs --expect"],
    ["limits --find rate --expect p99<50ms --only call", "--only has no use with --find rate"],
    ["limits --seconds 3", "--seconds has no use without --find rate"],
    ["throughput --stages 30s:4 --rate 5", "--rate has no use with --stages"],
    ["limits --find keys", "--find must be one of quota, rate"],
    ["throughput --rate -5", '--rate must be a number above 0, not "-5"'],
    ["throughput --rate=-5", "--rate must be a number above 0"],
    ["throughput --workers 1.5", "--workers must be a whole number from 1 to 256"],
    ["throughput --pid server", "--pid must be a whole number, at least 1"],
    ["throughput --seconds soon", "--seconds must be a number above 0"],
    ["throughput --base-url 127.0.0.1:8080", "--base-url must be an http or https address"],
    ["rate-limits --only search", "--only must be one of discover, inspect, probe, call"],
    ["throughput --expect p99<50", "needs a time in us, ms or s"],
    ["throughput --expect drift_p50<2", "speaks of drift_p50, which is not measured"],
    ["throughput --fast", "Unknown option '--fast'"],
    ["throughput --profile --json x", "--profile needs a value"],
    ["throughput --json", "Option '--json <FILE>' argument missing"],
  ])("%s", (line, why) => {
    expect(() => parse(line)).toThrow(WrongUse);
    expect(() => parse(line)).toThrow(why);
  });

  test("an unknown scenario", async () => {
    await expect(load.run("load", ["speed"])).rejects.toThrow(
      "after load comes one of rate-limits, throughput, billing, history, soak, limits, merge",
    );
  });
});
