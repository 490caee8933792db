import { describe, expect, it } from "vitest";
import { html } from "./html-markup.ts";
import { bodiesOfAPage, indentedJson } from "./html-trace.ts";
import { htmlReport } from "./html.ts";
import {
  sampleCause,
  sampleCheck,
  sampleExchange,
  sampleReport,
  sampleRun,
} from "./sample-report.fixture.ts";

describe("the HTML report", () => {
  it("fetches nothing, and runs only its own script", () => {
    const page = htmlReport(sampleRun());
    expect(page).not.toMatch(/<(?:link|img|script|iframe)[^>]+(?:src|href)="(?!data:)/);
    expect(page).not.toMatch(/@import|url\(/);
    expect(page).toMatch(/default-src &#39;none&#39;; .*script-src &#39;sha256-/);
  });

  it("shows what a server sent as text, wherever it appears", () => {
    const attack = `</pre></script><img src=x onerror="alert(1)">'`;
    const exchange = sampleExchange({
      url: attack,
      request: { headers: { [attack]: attack }, body: attack },
      response: { headers: { [attack]: attack }, body: attack },
      curl: attack,
    });
    const all = { reason: attack, remedy: attack, title: attack, exchanges: [exchange] };
    const page = htmlReport(
      sampleReport(
        [
          sampleCheck({
            ...all,
            id: attack,
            verdict: "fail",
            expected: attack,
            received: attack,
            culprit: 0,
          }),
          sampleCheck({ ...all, verdict: "unverified" }),
          sampleCheck({ ...all, verdict: "pass" }),
          sampleCheck({
            ...all,
            verdict: "error",
            exchanges: [{ ...exchange, response: { error: attack } }],
          }),
        ],
        { target: attack, contract_version: attack, started_at: attack },
      ),
    );
    expect(page).not.toContain("<img");
    expect(page.match(/<\/script>/g)).toHaveLength(1);
    expect(page.match(/&#60;img src=x onerror=&#34;alert\(1\)&#34;&#62;&#39;/g)!.length).toBeGreaterThan(15);
  });

  it("has the operations that are not served as one part of a profile to copy", () => {
    const checks = ["USAG-01/list", "UEXP-01/export"].map((id) => sampleCheck({ id, verdict: "fail" }));
    const causes = [sampleCause(checks[0]!, "listUsage"), sampleCause(checks[1]!, "exportUsage")];
    expect(htmlReport({ ...sampleReport(checks), causes })).toContain(
      "<pre>features:\n  listUsage: {off: not implemented yet}\n  exportUsage: {off: not implemented yet}</pre>",
    );
  });

  it("says on its first screen what to fix first, and lists known failures apart", () => {
    const known = { by: "list", verdict: "fail", until: "2026-12-30", reason: "see 12" } as const;
    const page = htmlReport(
      sampleReport([
        sampleCheck({ verdict: "fail", expected: "status 200", received: "status 404" }),
        sampleCheck({ verdict: "known", known, title: "a known fault" }),
      ]),
    );
    expect(page).toMatch(/Fix first:<\/b> <a href="#failed">[^<]*expected status 200[^]*<main>/);
    expect(page).toMatch(/Known failures <span class="count">1<\/span>[^]*see 12[^]*a known fault/);
    expect(htmlReport(sampleReport([sampleCheck()]))).not.toMatch(/Known failures|Fix first/);
  });

  it("counts the spec's points, lists what was not seen and why, and names its judge by hash", () => {
    const page = htmlReport(sampleReport([sampleCheck()]));
    expect(page).toMatch(/<b>68 of 69<\/b>\s*<span>statuses of operations/);
    expect(page).toContain("2 within reach that this run did not see");
    expect(page).toMatch(/charges Discover[^<]*<code>entry_type consume_tool_search<\/code>/);
    for (const hash of ["5a", "c0", "9f"]) expect(page).toContain(hash.repeat(6));
    expect(page).not.toContain("First judged");
    const hashes = { suite: "ab".repeat(32), contract: "", profile: "" };
    expect(htmlReport(sampleReport([], { judged_before: { suite_version: "0.0.9", hashes } }))).toMatch(
      /First judged by suite[^]*0\.0\.9/,
    );
  });

  it("makes characters visible that would hide or reverse text", () => {
    expect(html`${"a\u202eb\u0000\ud800"}`.text).toBe("a\\u202eb\\u0000\\ud800");
  });

  it("stays below 2 MB for a run of 800 checks", () => {
    expect(htmlReport(sampleRun()).length).toBeLessThan(2_000_000);
  });

  it("stays readable when every check failed with a long body, and says what it left out", () => {
    const long = sampleExchange({ response: { headers: {}, body: "x".repeat(65_536) } });
    const exchanges = Array.from({ length: 60 }, () => long);
    const checks = Array.from({ length: 200 }, () =>
      sampleCheck({ verdict: "fail", expected: "200", received: "500", culprit: 55, exchanges }),
    );
    const page = htmlReport(sampleReport(checks));
    expect(page.length).toBeLessThan(3 * bodiesOfAPage);
    expect(page).toContain("(65536 characters, cut here)");
    expect(page).toContain("19 more exchanges are in conformance.json");
    expect(page).toContain("this page is full");
  });

  it("keeps bodies for checks that did not pass, and lines for those that did", () => {
    const page = htmlReport(sampleReport([sampleCheck()]));
    expect(page).toContain("200  POST /tools/execute");
    expect(page).not.toContain("execution_id&#34;: &#34;e-1");
  });

  it.each([
    ["fail", "1 clause broken"],
    ["error", "1 internal error"],
    ["blocked", "Nothing failed, 1 check blocked: no failure explains why"],
    ["unverified", "Nothing was verified"],
    ["pass", "Nothing failed"],
  ] as const)("is headed by what matters most when a check is %s", (verdict, headline) => {
    expect(htmlReport(sampleReport([sampleCheck({ verdict })]))).toContain(`<h1>${headline}</h1>`);
  });

  it("says why no check covers a clause that cannot be seen from outside", () => {
    expect(htmlReport(sampleReport([]))).toContain("No check of this run covers it.");
  });
});

describe("JSON in lines", () => {
  it("keeps every token as it was received", () => {
    expect(indentedJson('{"cost":0.10,"n":[1e400,{}],"s":"a, \\"b\\": {"}')).toBe(
      '{\n  "cost": 0.10,\n  "n": [\n    1e400,\n    {}\n  ],\n  "s": "a, \\"b\\": {"\n}',
    );
  });

  it("does not change anything but JSON", () => {
    expect(indentedJson("<html> {a: 1}")).toBe("<html> {a: 1}");
  });
});
