import { describe, expect, test } from "vitest";
import { WrongUse } from "../cli/exit.ts";
import { limitedOperations } from "../generated/contract.ts";
import load, { taskOf, type Task } from "./main.ts";

const parse = (line: string): Task => taskOf(load.read(line.split(" ").filter(Boolean))!);

describe("a command is read", () => {
  test("defaults", () => {
    const { scenario, options, thresholds } = parse("throughput");
    expect(scenario).toBe("throughput");
    expect(options).toMatchObject({ seconds: 5, rate: 50, connections: 16, accounts: 8, workers: 1 });
    expect(options.operations).toEqual(limitedOperations);
    expect(thresholds).toEqual([]);
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

describe("what is wrong with a command is said", () => {
  test.each([
    ["", "Missing required argument 'SCENARIO'"],
    ["speed", 'SCENARIO must be one of rate-limits, throughput, billing, soak, not "speed"'],
    ["throughput billing", "Too many arguments"],
    ["throughput --rate -5", '--rate must be a number above 0, not "-5"'],
    ["throughput --rate=-5", "--rate must be a number above 0"],
    ["throughput --workers 1.5", "--workers must be a whole number, at least 1"],
    ["throughput --pid server", "--pid must be a whole number, at least 1"],
    ["throughput --seconds soon", "--seconds must be a number above 0"],
    ["throughput --base-url 127.0.0.1:8080", "--base-url must be an http or https address"],
    ["rate-limits --only search", "--only must be one of discover, inspect, probe, call"],
    ["throughput --expect p99<50", "wants a time in us, ms or s"],
    ["throughput --expect drift_p50<2", "speaks of drift_p50, which is not measured"],
    ["throughput --fast", "Unknown option '--fast'"],
    ["throughput --profile --json x", "--profile needs a value"],
    ["throughput --json", "Option '--json <FILE>' argument missing"],
  ])("%s", (line, why) => {
    expect(() => parse(line)).toThrow(WrongUse);
    expect(() => parse(line)).toThrow(why);
  });
});
