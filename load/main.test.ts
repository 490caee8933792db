import { describe, expect, test } from "vitest";
import { WrongUse } from "../conformance/judge/verdict.ts";
import { parseCommand, type Command } from "./main.ts";

const parse = (line: string): Command => parseCommand(line.split(" ").filter(Boolean)) as Command;

describe("a command is read", () => {
  test("defaults", () => {
    const { scenario, options, thresholds, baseUrl } = parse("throughput");
    expect(scenario).toBe("throughput");
    expect(options).toMatchObject({ seconds: 5, rate: 50, connections: 16, accounts: 8, workers: 1 });
    expect(options.operations).toEqual(["discover", "inspect", "probe", "call"]);
    expect(thresholds).toEqual([]);
    expect(baseUrl).toBeUndefined();
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
    ["", "no scenario is given; there are rate-limits, throughput, billing, soak"],
    ["speed", "speed is no scenario"],
    ["throughput billing", "throughput billing is no scenario"],
    ["throughput --rate -5", "--rate"],
    ["throughput --rate=-5", "--rate -5 is no number above 0"],
    ["throughput --workers 1.5", "--workers 1.5 is no whole number above 0"],
    ["throughput --seconds soon", "--seconds soon is no number above 0"],
    ["throughput --base-url 127.0.0.1:8080", "--base-url 127.0.0.1:8080 is no http or https address"],
    ["rate-limits --only search", "--only search is none of discover, inspect, probe, call"],
    ["throughput --expect p99<50", "wants a time in us, ms or s"],
    ["throughput --expect drift_p50<2", "speaks of drift_p50, which is not measured"],
    ["throughput --fast", "--fast"],
  ])("%s", (line, why) => {
    expect(() => parse(line)).toThrow(WrongUse);
    expect(() => parse(line)).toThrow(why);
  });
});
