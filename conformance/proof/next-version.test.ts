import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "vitest";
import { contractVersion } from "../../generated/contract.ts";
import type { Report } from "../report/report.ts";
import { nextVersion, releaseNextVersion, withNextFeatures } from "./next-version.fixture.ts";

const folder = mkdtempSync(join(tmpdir(), "next-version-"));
const processes: ChildProcess[] = [];
const servers: Server[] = [];
let releases: string;
let today: string;
let next: string;

/** Starts the reference server with a given version of the contract. */
async function started(version: string): Promise<string> {
  const env = { ...process.env, CONTRACT_RELEASES: releases, CONTRACT_VERSION: version };
  const args = [
    "cli.ts",
    "start",
    "--port",
    "0",
    "--data",
    join(folder, version),
    "--broken-answers",
    "report",
  ];
  const server = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "ignore"] });
  processes.push(server);
  for await (const line of createInterface(server.stdout)) {
    const address = /listens at (\S+)/.exec(line)?.[1];
    if (address !== undefined) return address;
  }
  throw new Error("the server said no address");
}

async function served(spoil?: (body: Record<string, unknown>) => void): Promise<string> {
  const { server, baseUrl } = await withNextFeatures(next, spoil);
  servers.push(server);
  return baseUrl;
}

/** Judges a server as its user would. */
async function judged(
  baseUrl: string,
  only: string[],
  contract?: string,
): Promise<{ status: number; printed: string; report: Report }> {
  const [profile, json] = [join(folder, "profile.yaml"), join(folder, "report.json")];
  writeFileSync(profile, `base_url: ${baseUrl}\n${contract === undefined ? "" : `contract: ${contract}\n`}`);
  const args = ["cli.ts", "conformance", "--profile", profile, "--fast", "--json", json];
  const child = execFile(process.execPath, [...args, ...only.flatMap((one) => ["--only", one])], {
    env: { ...process.env, CONTRACT_RELEASES: releases, CONTRACT_VERSION: undefined, NO_COLOR: "1" },
    maxBuffer: 64 * 1024 * 1024,
  });
  let printed = "";
  child.stdout!.on("data", (text: string) => (printed += text));
  const [status] = (await once(child, "close")) as [number];
  return { status, printed, report: JSON.parse(readFileSync(json, "utf8")) as Report };
}

const wrong = ({ checks }: Report): string[] =>
  checks.filter(({ verdict }) => verdict === "fail" || verdict === "error").map(({ id }) => id);

const areas = ["CALL", "ERRO-18", "VERS"];

beforeAll(async () => {
  releases = releaseNextVersion(folder);
  [today, next] = await Promise.all([started(contractVersion), started(nextVersion)]);
}, 240_000);

afterAll(async () => {
  for (const server of servers) server.close().closeAllConnections();
  for (const child of processes) {
    child.kill();
    await once(child, "exit");
  }
  rmSync(folder, { recursive: true, force: true });
});

test("a right server of each version is clean when it is judged by its own", async () => {
  const old = await judged(today, areas);
  expect(wrong(old.report)).toEqual([]);
  expect(old).toMatchObject({ status: 0, report: { contract_version: contractVersion } });

  const { status, report } = await judged(await served(), areas);
  expect(wrong(report)).toEqual([]);
  expect(status).toBe(0);
  expect(report.contract_version).toBe(nextVersion);
  expect(report.version_note).toBeUndefined();
  const ids = report.clauses.map(({ id }) => id);
  expect(ids).toContain("CALL-90");
  expect(ids).not.toContain("LIMI-03");
  expect(report.clauses.find(({ id }) => id === "CALL-90")?.verdict).toBe("pass");
  expect(report.checks.some(({ title }) => title.includes("getRatings"))).toBe(true);
}, 300_000);

test("a mutant of the next version dies under it, and one of today's under today's", async () => {
  const placeless = await judged(await served((body) => Reflect.deleteProperty(body, "place")), ["CALL"]);
  expect(placeless.report.clauses.find(({ id }) => id === "CALL-90")?.verdict).toBe("fail");
  const nameless = await served((body) => Reflect.deleteProperty(body, "execution_id"));
  const { report } = await judged(nameless, ["CALL"], contractVersion);
  expect(report.clauses.find(({ id }) => id === "CALL-01")?.verdict).toBe("fail");
}, 300_000);

test("a report that judges by another version than the server announces says so first", async () => {
  const { status, printed, report } = await judged(today, ["VERS"], nextVersion);
  expect(status).toBe(1);
  expect(report.contract_version).toBe(nextVersion);
  expect(printed.split("\n")[0]).toBe(
    `The server announces contract ${contractVersion} and is judged by ${nextVersion}: much of what follows may come from that.`,
  );
}, 300_000);
