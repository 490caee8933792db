import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parse } from "yaml";
import { contractVersion, operations } from "../../generated/contract.ts";
import { newClause } from "./clause.ts";
import { newField } from "./field.ts";
import { Project } from "./project.ts";
import { newQuota } from "./quota.ts";
import { newVersion } from "./version.ts";
import { newWord } from "./word.ts";

const repository = path.resolve(import.meta.dirname, "../..");
const folder = mkdtempSync(path.join(tmpdir(), "capability-contract-new-"));
beforeAll(() => {
  mkdirSync(path.join(folder, "conformance/suite/call"), { recursive: true });
  for (const name of ["spec", "docs/CHANGELOG.md", "reference-server/storage", "conformance/proof/spec"])
    cpSync(path.join(repository, name), path.join(folder, name), { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("a clause comes with a check and a mutant, which check refuses until they are filled in", () => {
  const project = new Project(folder);
  const next = newClause(project, ["CALL", "cost-sign", "Legacy pre-settlement cost signal"]);
  const [id] = /CALL-\d+/.exec(next)!;
  expect(project.read("spec/clauses/call.yaml")).toContain(`id: ${id}`);
  for (const file of ["cost-sign.checks.ts", "cost-sign.mutants.ts"])
    expect(project.read(`conformance/suite/call/${file}`)).toMatch(new RegExp(`"${id}",\\s+"TODO`));
  expect(project.read("conformance/suite/call/cost-sign.checks.ts")).toContain(
    'account.call(tool("charged"))',
  );
  expect(project.read("conformance/suite/call/cost-sign.mutants.ts")).toContain('onPath("call"');
  // What a check would refuse until then is written before it.
  expect(next.split("\n").at(-1)).toBe("  npm run check -- --fast");
  expect(() => newClause(project, ["CALL", "x", "what nobody wrote"])).toThrow("does not say");
});

it("a field has its row among its neighbours, its clause, and its place in the schema", () => {
  const project = new Project(folder);
  newField(project, ["CALL", "call", "CallSuccess", "provider_name", "string", "Who executed it"]);
  const row = "| provider_name | string | Who executed it |";
  const contract = project.read("spec/contract.md");
  expect(contract).toContain(`| remaining_credits | number or null | Remaining credits |\n${row}`);
  const [, id] = /id: (CALL-\d+)\n.*\n.*\n {4}quote: "provider_name \| string/.exec(
    project.read("spec/clauses/call.yaml"),
  )!;
  expect(project.read("spec/openapi/schemas/CallSuccess.yaml")).toContain(`x-clause: ${id}\n`);
  const [disposition] = (
    parse(project.read("conformance/proof/spec/dispositions.yaml")) as { of: string }[]
  ).slice(-1);
  expect("field call 200 provider_name constant").toMatch(new RegExp(`^(?:${disposition!.of})$`));
  expect(() =>
    newField(project, ["CALL", "call", "CallSuccess", "provider_name", "string", "again"]),
  ).toThrow("has provider_name already");
});

it("a quota changes in the path, in the table and in the clause that quotes it", () => {
  const project = new Project(folder);
  const { requests } = operations.probe.rateLimit;
  newQuota(project, ["probe", "7"]);
  expect(project.changed).toEqual([
    "spec/openapi/paths/probe.yaml",
    "spec/contract.md",
    "spec/clauses/limits.yaml",
  ]);
  expect(project.read("spec/contract.md")).toContain("| POST /tools/probe | 7 requests/minute |");
  expect(project.read("spec/clauses/limits.yaml")).not.toContain(`/tools/probe | ${requests} `);
  expect(() => newQuota(project, ["getCredits", "7"])).toThrow("getCredits has no quota");
});

it("a stored word comes with the step that lets both databases hold it", () => {
  const project = new Project(folder);
  newWord(project, ["EventType", "tool_refund"]);
  expect(project.read("spec/openapi/schemas/EventType.yaml")).toContain("model_call, tool_refund]");
  const step = project.changed.find((file) => file.includes("/migrations/"))!;
  expect(step).toMatch(/\d{3}-event-type-tool-refund\.ts$/);
  expect(project.read(step)).toContain("'model_call', 'tool_refund'))");
  // The indexes and the triggers of the table are made again.
  expect(project.read(step)).toMatch(
    /CREATE UNIQUE INDEX usage_execution[^]*CREATE TRIGGER usage_events_no_/,
  );
  expect(project.read("reference-server/storage/migrate.ts")).toContain("  eventTypeToolRefund,\n];");
  newWord(project, ["ReasonCode", "provider.quota_exceeded"]);
  expect(project.read("spec/openapi/schemas/ReasonCode.yaml")).toMatch(
    /- provider.quota_exceeded\nx-members-of[^]*\n {2}provider.quota_exceeded: \[failed_not_charged\]\n/,
  );
  expect(() => newWord(project, ["Language", "de"])).toThrow("Language is not stored");
});

it("the version rises wherever it is written", () => {
  const project = new Project(folder);
  newVersion(project, ["2099-01-01.1"]);
  for (const file of project.changed) expect(project.read(file), file).not.toContain(contractVersion);
  expect(project.changed).toHaveLength(3);
  // What follows belongs to it, before anything is generated.
  const id = project.addClause("CALL", { text: "later", quote: "later", operation: "call" });
  expect(project.read("spec/clauses/call.yaml").split(`id: ${id}\n`)[1]).toContain("since: 2099-01-01.1");
});
