import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { contractVersion, operations } from "../../generated/contract.ts";

/** The version after the current one. */
export const nextVersion = "2099-01-01.1";

const repository = resolve(import.meta.dirname, "../..");

const parts =
  "spec tools base generated docs README.md package.json tsconfig.json cli conformance load reference-server".split(
    " ",
  );

/**
 * Writes a project of the next version to a folder, as an engineer would change this one: a new field in a Call's
 * answer, a lower quota, a new charge outcome, a new operation, and an ended clause. Both versions are released there.
 */
export function writeNextVersion(folder: string): void {
  for (const name of parts) cpSync(join(repository, name), join(folder, name), { recursive: true });
  symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
  rmSync(join(folder, "generated/released"), { recursive: true });
  const project = new Project(folder);
  project.release();
  const versioned = ["contract.md", "openapi/root.yaml", "openapi/headers.yaml"];
  for (const name of versioned) project.change(`spec/${name}`, contractVersion, nextVersion);
  addField(project);
  lowerQuota(project);
  addChargeOutcome(project);
  addOperation(project);
  project.release();
}

class Project {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  release(): void {
    execFileSync(process.execPath, ["tools/generate.ts", "--release"], { cwd: this.folder, stdio: "pipe" });
  }

  /** Replaces every occurrence of a text. */
  change(name: string, from: string, to: string): void {
    const old = readFileSync(join(this.folder, name), "utf8");
    if (!old.includes(from)) throw new RangeError(`${name} has no ${from}`);
    writeFileSync(join(this.folder, name), old.replaceAll(from, to));
  }

  append(name: string, text: string): void {
    appendFileSync(join(this.folder, name), text);
  }

  /** Writes a file like another one, with one text replaced. */
  copy(from: string, to: string, ...[old, now]: readonly [string, string]): void {
    cpSync(join(this.folder, from), join(this.folder, to));
    this.change(to, old, now);
  }

  addClause(area: string, id: string, operation: string, text: string, quote: string): void {
    const clause = { level: "must", text, since: nextVersion, quote, basis: "stated", operation };
    const lines = Object.entries(clause).map(([name, value]) => `    ${name}: ${value}\n`);
    this.append(`spec/clauses/${area}.yaml`, `  - id: ${id}\n${lines.join("")}    seen: blackbox\n`);
  }
}

function addField(project: Project): void {
  const schema = "spec/openapi/schemas/CallSuccess.yaml";
  const when = "{ request: { respond_with: full }, answer: { success: true } }";
  project.change(
    "spec/contract.md",
    "| execution_id | string | Unique id of this execution |\n",
    "| execution_id | string | Unique id of this execution |\n| place | string | Where the tool ran |\n",
  );
  project.change(
    schema,
    "properties:\n",
    `properties:\n  place:\n    type: string\n    x-clause: CALL-90\n    x-when: ${when}\n`,
  );
  project.addClause(
    "call",
    "CALL-90",
    "call",
    "A Call names its place.",
    "place | string | Where the tool ran",
  );
  project.change(
    "reference-server/operations/call.ts",
    "error_message: null,",
    'error_message: null, place: "here",',
  );
}

function lowerQuota(project: Project): void {
  const { requests } = operations.probe.rateLimit;
  const lower = Math.floor(requests / 2);
  const row = (quota: number): string => `POST /tools/probe | ${quota} requests`;
  project.change("spec/contract.md", row(requests), row(lower));
  project.change("spec/openapi/paths/probe.yaml", `requests: ${requests}`, `requests: ${lower}`);
  project.change("spec/clauses/limits.yaml", "id: LIMI-03\n", `id: LIMI-03\n    until: ${nextVersion}\n`);
  project.addClause(
    "limits",
    "LIMI-90",
    "probe",
    `Probe's quota is ${lower} requests a minute, unless the deployment declares another.`,
    `${row(lower)}/minute`,
  );
  project.change("conformance/suite/limits/checks.ts", '["LIMI-03",', '["LIMI-03", "LIMI-90",');
  project.change(
    "conformance/suite/limits/mutants.ts",
    '"LIMI-03": {',
    '"LIMI-90": { "admits one Probe too many": quotaOff("probe", 1) },\n  "LIMI-03": {',
  );
}

function addChargeOutcome(project: Project): void {
  const meaning = "{ effectiveSuccess: false, positiveAmount: true }";
  const schemas = "spec/openapi/schemas";
  project.change(
    `${schemas}/ChargeOutcome.yaml`,
    "failed_charged_review]",
    "failed_charged_review, refunded]",
  );
  project.append(`${schemas}/ChargeOutcome.yaml`, `  refunded: ${meaning}\n`);
  const count = "type: integer\n    minimum: 0\n";
  project.change(
    `${schemas}/ChargeOutcomeCounts.yaml`,
    "failed_charged_review]",
    "failed_charged_review, refunded]",
  );
  project.change(
    `${schemas}/ChargeOutcomeCounts.yaml`,
    "properties:\n",
    `properties:\n  refunded:\n    ${count}`,
  );
  project.change(`${schemas}/UsageBucket.yaml`, "required:\n", "required:\n  - refunded_count\n");
  project.change(
    `${schemas}/UsageBucket.yaml`,
    "properties:\n",
    `properties:\n  refunded_count:\n    ${count}`,
  );
  project.change(
    "reference-server/billing/outcome.ts",
    "  failed_charged_review:",
    "  refunded: () => false,\n  failed_charged_review:",
  );
  project.change(
    "conformance/books/writes.ts",
    "  failed_charged_review: {",
    '  refunded: { amount: "BILL-21", entry: "BILL-11" },\n  failed_charged_review: {',
  );
}

function addOperation(project: Project): void {
  const [operations, paths] = ["reference-server/operations", "spec/openapi/paths"];
  project.copy(
    `${paths}/get-credits-spent.yaml`,
    `${paths}/get-ratings.yaml`,
    "operationId: getCreditsSpent",
    "operationId: getRatings",
  );
  project.change(
    "spec/openapi/root.yaml",
    "paths:\n",
    "paths:\n  /tools/ratings:\n    $ref: ./paths/get-ratings.yaml\n",
  );
  project.copy(
    `${operations}/get-credits-spent.ts`,
    `${operations}/get-ratings.ts`,
    "getCreditsSpent",
    "getRatings",
  );
}

if (import.meta.main) writeNextVersion(process.argv[2]!);
