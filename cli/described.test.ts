import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { Ajv } from "ajv";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { onHeaders } from "../conformance/changes/mutant.ts";
import { kill } from "../conformance/proof/kill.ts";
import { mutants } from "../conformance/proof/mutants.ts";
import { openStage } from "../conformance/proof/stage.ts";
import type { Profile } from "../conformance/server/profile.ts";
import { responseHeaders } from "../generated/contract.ts";
import { jsonText, schemaAddress, type Described } from "../base/described.ts";
import { capabilityContract } from "./program.ts";

const repository = resolve(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "capability-contract-described-"));
const file = (name: string): string => join(folder, name);

/** A server that refuses an unknown key without the header of the contract's version. */
const fault = {
  clause: "VERS-02",
  change: onHeaders((_, { status }) => status === 401, {
    [responseHeaders.apiVersion.toLowerCase()]: undefined,
  }),
};
const stage = await openStage();

beforeEach(() => void vi.spyOn(console, "log").mockReturnValue(undefined));
afterAll(async () => {
  await stage.close();
  rmSync(folder, { recursive: true, force: true });
});

const run = (...words: string[]): Promise<number> => capabilityContract.run("capability-contract", words);

/** The problems of a value by a published schema. */
function problemsOf(name: Described, value: unknown): unknown[] {
  const schema = readFileSync(join(repository, `generated/schemas/${name}.json`), "utf8");
  const ajv = new Ajv({ allErrors: true, strict: false });
  ajv.validate(JSON.parse(schema) as object, value);
  return (ajv.errors ?? []).map(({ instancePath, message, params }) => ({ instancePath, message, params }));
}

/** Checks a written file against the schema that it names. */
function expectDescribed(name: Described, written: string): void {
  const content = JSON.parse(readFileSync(written, "utf8")) as Record<string, unknown>;
  expect(Object.entries(content)[0]).toEqual(["$schema", schemaAddress(name)]);
  expect(problemsOf(name, content)).toEqual([]);
}

test("reports of a correct and of a faulty server, and one judged again, are as their schema says", async () => {
  const [right, broken, again] = [file("right.json"), file("broken.json"), file("again.json")];
  /** Uses the accounts that are there, and awaits no row of an audit whose delay is unknown. */
  const withProfile = ({ base_url, credentials, tools }: Profile): string[] => {
    const written = file("profile.json");
    writeFileSync(written, JSON.stringify({ base_url, credentials, tools, audit_lag: 0.2 }));
    return ["--profile", written];
  };
  // The requests that AUTH-02 sends are refused.
  const judge = ["conformance", "--fast", "--only", fault.clause, "--only", "AUTH-02"];
  await stage.perform({}, async (profile) => {
    const profileFlags = withProfile(profile);
    expect(await run(...judge, ...profileFlags, "--json", right)).toBe(0);
    const little = ["--seconds", "0.2", "--rate", "5"];
    await run("load", "throughput", ...profileFlags, ...little, "--json", file("load.json"));
  });
  const status = await stage.perform(fault.change, (profile) =>
    run(...judge, ...withProfile(profile), "--json", broken),
  );
  expect(status).toBe(1);
  await run("conformance", "--judge-again", broken, "--json", again);
  for (const written of [right, broken, again]) expectDescribed("report", written);
  expectDescribed("load", file("load.json"));
});

test("a plan is as its schema says", async () => {
  const written = file("plan.json");
  const url = "http://127.0.0.1:9/api/v1";
  await run("conformance", "--base-url", url, "--only", fault.clause, "--fast", "--plan", "--json", written);
  expectDescribed("plan", written);
});

test("a comparison of two contracts is as its schema says", async () => {
  const old = join(repository, "generated/openapi.json");
  const changed = JSON.parse(readFileSync(old, "utf8")) as { paths: Record<string, unknown> };
  delete changed.paths["/tools/execute"];
  writeFileSync(file("changed.json"), JSON.stringify(changed));
  expect(await run("drift", "spec", old, file("changed.json"), "--json", file("drift.json"))).toBe(1);
  expectDescribed("drift", file("drift.json"));
});

test("a matrix of mutants is as its schema says", async () => {
  const part = { survivors: [], checks_without_kill: [], variations: [], impostors: [], unfinished: [] };
  const mutant = mutants.find(({ clause }) => clause === "AUTH-02")!;
  const killed = await kill(mutant, stage, () => Promise.resolve(new Map()));
  writeFileSync(file("mutants.json"), jsonText("mutants", { ...part, mutants: [killed] }));
  expectDescribed("mutants", file("mutants.json"));
});

test("each line of the proxy's findings is as its schema says", async () => {
  const written = file("findings.jsonl");
  await stage.perform(fault.change, async ({ base_url: url }) => {
    const words = ["proxy", "--target", new URL(url).origin, "--port", "0", "--jsonl", written];
    const proxy = spawn(process.execPath, [join(repository, "cli/cli.ts"), ...words], { stdio: "pipe" });
    const ended = once(proxy, "exit");
    const [listening] = (await once(createInterface(proxy.stdout), "line")) as [string];
    const refused = await fetch(`${listening.split(" ")[0]}/auth/credits`);
    expect(refused.status).toBe(401);
    proxy.kill("SIGINT");
    await ended;
  });
  const lines = readFileSync(written, "utf8").trim().split("\n");
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) expect(problemsOf("finding", JSON.parse(line))).toEqual([]);
});
