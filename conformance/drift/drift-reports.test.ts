import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { contractVersion } from "../../generated/contract.ts";
import type { Exchange } from "../judge/exchange.ts";
import { WrongUse } from "../../base/exit.ts";
import type { Change, DriftReport } from "./change.ts";
import { Document } from "./document.ts";
import { temporaryFiles } from "./documents.fixture.ts";
import { Comparison } from "./comparison.ts";
import drift, { isFailing } from "./main.ts";
import { policyIn } from "./policy.ts";
import { sinceBase } from "./filter.ts";
import { githubReport, junitReport, markdownReport, textReport } from "./reports.ts";
import { compareTraffic } from "./contract/compare-traffic.ts";

const now = "2026-11-20";
const { folder, write } = temporaryFiles();

const change = (more: Partial<Change> = {}): Change => ({
  kind: "answer_field_removed",
  class: "breaking",
  side: "answer",
  operations: ["discover"],
  where: "answer 200: total",
  old: "integer",
  new: null,
  fingerprint: createHash("sha256").update(JSON.stringify(more)).digest("hex").slice(0, 12),
  why: "the field was promised, and clients read it",
  at: { file: "spec/openapi/schemas/DiscoverResponse.yaml", line: 12 },
  was_at: null,
  also: [],
  traffic: null,
  ignored: null,
  ...more,
});
const risky = change({
  kind: "reason_code_added",
  class: "risky",
  where: "values of ReasonCode",
  old: null,
  new: "provider.gone",
});
const report = (...changes: Change[]): DriftReport => ({
  command: "spec",
  old: "main",
  new: "generated/openapi.json",
  old_version: contractVersion,
  new_version: contractVersion,
  changes,
  notes: [],
  judged: { unit: "operation", judged: 2, unjudged: 0, of: "2 operations", lacks: [] },
});

const policyOf = (content: string) => policyIn(write("drift.yaml", content), now);

test("a policy gives other classes, ignores what it names until its day, and reports what it no longer needs", () => {
  const policy = policyOf(
    `severity: { reason_code_added: safe }
ignore:
  - { kind: answer_field_removed, operation: discover, where: "answer *: total", reason: nobody reads it, expires: "2026-11-20" }
  - { kind: operation_removed, reason: gone, expires: 2027-01-31 }
`,
  );
  const judged = policy(report(change(), risky, change({ operations: ["discover", "inspect"] })));
  expect(judged.changes.map((difference) => difference.ignored?.reason ?? null)).toEqual([
    "nobody reads it",
    null,
    null,
  ]);
  expect(judged.changes[1]!.class).toBe("safe");
  expect(judged.notes).toEqual([
    `${join(folder, "drift.yaml")}:4 ignores nothing (operation_removed); remove it.`,
  ]);
  expect(judged.changes.some((difference) => isFailing(difference, "breaking"))).toBe(true);
  expect(judged.changes.slice(0, 2).some((difference) => isFailing(difference, "risky"))).toBe(false);
});

test("an entry that has expired is an error that names every such entry", () => {
  const text = `ignore:
  - { kind: operation_removed, reason: first, expires: 2026-11-19 }
  - { operation: call, reason: second, expires: 2026-01-01 }
  - { operation: call, reason: third, expires: 2027-01-01 }
`;
  const expired = (): unknown => policyOf(text);
  expect(expired).toThrow(WrongUse);
  expect(expired).toThrow(
    /drift\.yaml:2: operation_removed, expired 2026-11-19: first\n.*drift\.yaml:3: call, expired 2026-01-01: second$/,
  );
});

test.each([
  [
    "ignore: [{ kind: nonsense, reason: r, expires: 2027-01-01 }]",
    "drift.yaml:1: ignore.0.kind: must be a kind of change; drift kinds lists them",
  ],
  ["ignore: [{ operation: call, expires: 2027-01-01 }]", "drift.yaml:1: ignore.0: reason is missing"],
  ["ignore: [{ operation: call, reason: r }]", "ignore.0: expires is missing"],
  [
    "ignore: [{ operation: call, reason: r, expires: 2027-02-31 }]",
    "ignore.0.expires: must be a day, as 2027-01-31",
  ],
  [
    "ignore: [{ reason: r, expires: 2027-01-01 }]",
    "one of kind, operation, where and fingerprint; without these it would ignore everything",
  ],
  [
    "ignore: [{ pattern: x, reason: r, expires: 2027-01-01 }]",
    "ignore.0.pattern: not known here; known are kind, operation, where, fingerprint, reason, expires",
  ],
  ["severity: { operation_added: bad }", "severity.operation_added: must be one of breaking, risky, safe"],
  ["severity: { nonsense: safe }", "severity.nonsense: not known here; must be a kind of change"],
  ["other: 1", "other: not known here; known are severity, ignore"],
  ["ignore: {", "drift.yaml:1: "],
])("a policy that is wrong is refused: %s", (text, message) => {
  expect(() => policyOf(text)).toThrow(message);
});

test("--fail-on names the least class that fails", () => {
  expect([change(), risky].map((difference) => isFailing(difference, "breaking"))).toEqual([true, false]);
  expect([change(), risky].map((difference) => isFailing(difference, "risky"))).toEqual([true, true]);
  expect(isFailing(change(), "never")).toBe(false);
});

test("each report names place and class, and what a server sent stays text in all of them", () => {
  const evil = change({
    class: "risky",
    where: "a | b\n::error::x <script> [l](u) \u001b[2J",
    old: null,
    new: "%0A\r\n::set-env::",
    at: null,
  });
  const both = report(change(), evil, change({ ignored: { reason: "known", expires: "2027-01-01" } }));

  const github = githubReport(both).trimEnd().split("\n");
  expect(github).toHaveLength(2);
  expect(github[0]).toMatch(
    /^::error file=spec\/openapi\/schemas\/DiscoverResponse\.yaml,line=12,title=breaking%3A answer_field_removed::/,
  );
  expect(github[1]).toMatch(/^::warning title=[^\r]*%250A%0A\\u003a:set-env::/);

  const markdown = markdownReport(both);
  expect(markdown).toContain("a \\| b \\\\u003a:error::x &#60;script&#62; \\[l\\](u)");
  expect(markdown).not.toContain("<script>");

  const text = textReport(both, (_style, same) => same, false);
  expect(text).toContain("; spec/openapi/schemas/DiscoverResponse.yaml:12");
  expect(text).not.toContain("\u001b");
  expect(text).toMatch(
    /1 breaking, 1 risky, 0 safe, 1 ignored\nJudged 2 of 2 operations: 1 breaking, 1 risky, 0 safe, 1 ignored; 0 not judged\.$/,
  );
});

test("a version that has to rise follows from the other changes, and is not counted as an extra one", () => {
  const both = report(change(), change({ kind: "version_not_raised" }));
  const plainly = (_: string, text: string): string => text;
  expect(textReport(both, plainly, false)).toMatch(/^breaking \(1\)\n[^]*: 1 breaking, 0 risky, 0 safe/);
  expect(markdownReport(both)).toContain("### Breaking (1)\n");
});

test("the command gates: its status and its reports follow what was found", async () => {
  const printed: string[] = [];
  vi.spyOn(console, "log").mockImplementation((line: string) => void printed.push(line));
  const ours = JSON.parse(readFileSync("generated/openapi.json", "utf8")) as {
    paths: Record<string, unknown>;
  };
  delete ours.paths["/search"];
  const file = write("less.json", ours);
  const json = join(folder, "reports/drift.json");
  expect(await drift.run("drift", ["spec", "generated/openapi.json", file, "--json", json])).toBe(1);
  expect(await drift.run("drift", ["spec", "generated/openapi.json", file, "--fail-on", "never"])).toBe(0);
  expect(await drift.run("drift", ["spec", file, file])).toBe(0);
  const written = JSON.parse(readFileSync(json, "utf8")) as DriftReport;
  expect(written.changes.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(["operation_removed", "version_not_raised"]),
  );
  expect(printed.join("\n")).toContain("POST /search");
});

test("with a base, what is inherited fails nothing, and what is fixed is reported", () => {
  const [field, header] = [change(), change({ kind: "answer_header_removed", where: "answer 200 header A" })];
  const introduced = sinceBase(report(field, header), report(header));
  expect(introduced.changes.map(({ since }) => since)).toEqual(["introduced", "inherited"]);
  expect(introduced.changes.some((difference) => isFailing(difference, "breaking"))).toBe(true);
  const inherited = sinceBase(report(header), report(header, field));
  expect(inherited.changes.some((difference) => isFailing(difference, "breaking"))).toBe(false);
  expect(inherited.mended?.map(({ kind }) => kind)).toEqual(["answer_field_removed"]);
  expect(markdownReport(inherited)).toContain("### Fixed (1)");
  const junit = junitReport(introduced, ({ since }) => since === "introduced");
  expect(junit).toContain('tests="2" failures="1"');
  expect(junit).toMatch(/<failure type="breaking" message="answer 200: total of discover/);
});

test.each([
  [["spec", "generated/openapi.json"], "Missing required argument 'NEW'"],
  [[], "drift needs a word that says what to do"],
  [["nonsense"], "drift nonsense is unknown; after drift comes one of generated, spec, live, clauses, kinds"],
  [["live"], "drift live needs --base-url URL"],
  [["live", "--base-url", "ftp://x"], "--base-url must be an http or https address"],
  [["live", "--base-url", "http://"], "--base-url must be an http or https address"],
  [["generated", "--released"], "Unknown option '--released'"],
  [["spec", "a", "b", "--fail-on", "bad"], '--fail-on must be one of breaking, risky, never, not "bad".'],
  [["spec", "a", "b", "--nonsense"], "Unknown option '--nonsense'"],
  [["spec", "a", "b", "--policy", "nowhere.yaml"], "--policy nowhere.yaml cannot be read"],
])("wrong use is explained in a sentence: %j", async (argv, message) => {
  await expect(drift.run("drift", argv)).rejects.toThrow(WrongUse);
  await expect(drift.run("drift", argv)).rejects.toThrow(message);
});

const exchange = (
  more: Partial<Exchange["response"] & object>,
  operation: Exchange["operation"] = "getCredits",
): Exchange => ({
  operation,
  account: null,
  started_at: 0,
  duration_ms: 1,
  request: { method: "GET", url: "http://x/api/v1/auth/credits", headers: {}, body: null },
  response: {
    status: 200,
    headers: { "content-type": "application/json; charset=utf-8" },
    body: "{}",
    ...more,
  },
  error: null,
});

test("traffic shows what the contract does not hold, and only that", () => {
  const document = new Document("ours", JSON.parse(readFileSync("generated/openapi.json", "utf8")));
  const found = (...exchanges: Exchange[]) => {
    const comparison = new Comparison(document, document, { today: "2026-11-20" });
    compareTraffic(comparison, exchanges);
    return comparison.list.map(({ kind, where, new: seen }) => [kind, where, seen]);
  };
  const json = (body: unknown, operation: Exchange["operation"]) =>
    exchange({ body: JSON.stringify(body) }, operation);
  expect(found(exchange({ status: 418 }))).toEqual([["live_status_undocumented", "answer 418", "418"]]);
  const typed = { "content-type": "text/html", date: "now", "x-colour": "red" };
  expect(found(exchange({ headers: typed }), exchange({ headers: typed }, "getCreditsSpent"))).toEqual([
    ["live_header_undocumented", "header x-colour", "x-colour"],
    ["live_media_type_undocumented", "answer 200", "text/html"],
    ["live_media_type_undocumented", "answer 200", "text/html"],
  ]);
  const event = { id: "1", charge_outcome: "refunded", colour: "secret", success: true };
  const listed = found(
    json({ status: "success", message: "", data: { items: [event], page: 1 } }, "listUsage"),
  );
  expect(listed).toContainEqual(["live_field_missing", "answer 200: data.items.*.event_type", null]);
  expect(listed).toContainEqual(["live_value_differs", "answer 200: data.items.*.id", "string"]);
  expect(listed.filter(([kind]) => kind?.endsWith("_undocumented"))).toEqual([
    ["live_enum_value_undocumented", "answer 200: data.items.*.charge_outcome", "refunded"],
    ["live_field_undocumented", "answer 200: data.items.*.colour", "string"],
  ]);
  const discovered = { query: "a", search_id: "s", total: "3", results: [], elapsed_time_ms: 1 };
  expect(found(json({ ...discovered, remaining_credits: "7" }, "discover"))).toEqual([
    ["live_type_differs", "answer 200: total", "string"],
    ["live_type_differs", "answer 200: remaining_credits", "string"],
  ]);
  // What a tool answers, and what a billing rule adds, is free.
  const call = { execution_id: "e", success: true, result: { data: { anything: [1] } } };
  const rule = { unit: "request", amount_credits: 1, tier: "gold" };
  const result = {
    tool_id: "t",
    name: "n",
    description: "d",
    provider_name: "p",
    billing_rule: rule,
    params: [],
  };
  expect(
    found(
      json(call, "call"),
      json({ results: [result], search_id: "s", total: 1, remaining_credits: 1 }, "inspect"),
    ),
  ).toEqual([]);
});
