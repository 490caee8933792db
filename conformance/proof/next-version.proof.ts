import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "vitest";
import { contractVersion } from "../../generated/contract.ts";
import type { Report } from "../report/report.ts";
import type { Matrix } from "./hand.ts";
import { nextVersion, writeNextVersion } from "./next-version.fixture.ts";

/** A project of the next version, with today's as the older of two. */
const folder = mkdtempSync(join(tmpdir(), "next-version-"));
const processes: ChildProcess[] = [];
let today: string;
let next: string;

/** Runs a verb of that project as its user would. */
const ran = (...args: string[]): Promise<{ status: number; printed: string }> => script("cli/cli.ts", args);

/** Runs a script of that project. */
async function script(file: string, args: string[]): Promise<{ status: number; printed: string }> {
  const env = { ...process.env, NO_COLOR: "1" };
  const child = execFile(process.execPath, [file, ...args], { cwd: folder, env, maxBuffer: 2 ** 26 });
  let printed = "";
  child.stdout!.on("data", (text: string) => (printed += text));
  child.stderr!.pipe(process.stderr);
  const [status] = (await once(child, "close")) as [number];
  return { status, printed };
}

/** Starts the project's server with a given version of the contract. */
async function started(version: string): Promise<string> {
  const env = { ...process.env, CONTRACT_VERSION: version };
  const args = [
    "cli/cli.ts",
    "start",
    "--port",
    "0",
    "--data",
    join(folder, version),
    "--log-level",
    "silent",
  ];
  const server = spawn(process.execPath, args, { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
  processes.push(server);
  for await (const line of createInterface(server.stdout)) {
    const address = /listens at (\S+)/.exec(line)?.[1];
    if (address !== undefined) return address;
  }
  throw new Error("the server reported no address");
}

async function judged(
  baseUrl: string,
  ...args: string[]
): Promise<{ status: number; printed: string; report: Report }> {
  const json = join(folder, "report.json");
  const result = await ran("conformance", "--base-url", baseUrl, "--fast", "--json", json, ...args);
  return { ...result, report: JSON.parse(readFileSync(json, "utf8")) as Report };
}

const wrong = ({ checks }: Report): string[] =>
  checks.filter(({ verdict }) => ["fail", "error", "blocked"].includes(verdict)).map(({ id }) => id);

const mutantsOf = (...args: string[]) => script("tools/development.ts", ["mutants", ...args]);

async function matrixOf(...args: string[]): Promise<Matrix> {
  const json = join(folder, "mutants.json");
  await mutantsOf("--json", json, ...args);
  return JSON.parse(readFileSync(json, "utf8")) as Matrix;
}

beforeAll(async () => {
  writeNextVersion(folder);
  [today, next] = await Promise.all([started(contractVersion), started(nextVersion)]);
});

afterAll(async () => {
  for (const child of processes) {
    child.kill();
    await once(child, "exit");
  }
  rmSync(folder, { recursive: true, force: true });
});

const areas = ["ACCT", "CALL", "ERRO-18", "RSLT", "USUM", "VERS"].flatMap((area) => ["--only", area]);

test("a correct server of each version is clean when it is judged by that version", async () => {
  const old = await judged(today, ...areas);
  expect(wrong(old.report)).toEqual([]);
  expect(old).toMatchObject({ status: 0, report: { contract_version: contractVersion } });

  const { status, report } = await judged(next, ...areas);
  expect(wrong(report)).toEqual([]);
  expect(status).toBe(0);
  expect(report.contract_version).toBe(nextVersion);
  expect(report.version_note).toBeUndefined();
  expect(report.clauses.find(({ id }) => id === "CALL-90")?.verdict).toBe("pass");
  expect(report.clauses.map(({ id }) => id)).not.toContain("LIMI-03");
  expect(report.checks.some(({ title }) => title.includes("getRatings"))).toBe(true);
});

// All of them, by hand: .github/CONTRIBUTING.md, "The version rises".
test("a mutant of each version dies under it", async () => {
  const old = await matrixOf(
    "--contract",
    contractVersion,
    "--only",
    "mutants",
    "--sample",
    "12",
    "--seed",
    "19",
  );
  expect(old.survivors).toEqual([]);
  expect(old.mutants.length).toBeGreaterThan(0);

  const { mutants, survivors } = await matrixOf("--only", "LIMI-90");
  expect(survivors).toEqual([]);
  expect(mutants.map(({ clause, name }) => `${clause} ${name}`)).toEqual([
    "LIMI-90 admits one Probe too many",
  ]);

  const json = join(folder, "generated.json");
  const added = ["call 200 place", "listUsage 200 data.summary.charge_outcome_counts.refunded"];
  const only = added.flatMap((field) => ["--only", `field ${field} of another type`]);
  await mutantsOf("--from", "spec", ...only, "--json", json);
  const kills = JSON.parse(readFileSync(json, "utf8")) as { killed_by: string[] }[];
  expect(kills.map(({ killed_by: killers }) => killers.length > 0)).toEqual(added.map(() => true));
});

test("a report by another version than the server announces says so first", async () => {
  for (const [baseUrl, announced, judgedBy] of [
    [today, contractVersion, nextVersion],
    [next, nextVersion, contractVersion],
  ] as const) {
    const profile = join(folder, "profile.yaml");
    writeFileSync(profile, `contract: ${judgedBy}\n`);
    const { status, printed, report } = await judged(baseUrl, "--profile", profile, "--only", "VERS");
    expect(status).toBe(1);
    expect(report.contract_version).toBe(judgedBy);
    expect(printed.split("\n")[0]).toBe(
      `The server announces contract ${announced} and is judged by ${judgedBy}: much of what follows may come from that.`,
    );
  }
});
