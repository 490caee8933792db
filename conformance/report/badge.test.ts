import { describe, expect, it } from "vitest";
import { badge } from "./badge.ts";
import { sampleCheck, sampleReport } from "./sample-report.fixture.ts";

const [green, amber, red] = ["#1a7f37", "#9a6700", "#b3261e"];

describe("the badge", () => {
  it("counts the clauses that were shown to be kept", () => {
    const svg = badge(sampleReport([sampleCheck()]));
    expect(svg).toMatch(/>1 of \d{3} clauses kept</);
    expect(svg).toContain(green);
  });

  it("turns the colour of failure and says so when a clause is broken, even with a passing check and an internal error", () => {
    const svg = badge(
      sampleReport([sampleCheck(), sampleCheck({ verdict: "error" }), sampleCheck({ verdict: "fail" })]),
    );
    expect(svg).toContain(">1 clause broken<");
    expect(svg).toContain(red);
  });

  it.each(["error", "blocked"] as const)("is amber when a check is %s", (verdict) => {
    expect(badge(sampleReport([sampleCheck({ verdict })]))).toContain(amber);
  });

  it("escapes the version", () => {
    expect(badge(sampleReport([], { contract_version: `<"&` }))).toContain("contract &#60;&#34;&#38;");
  });
});
