import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { parse } from "yaml";
import { ranHere, type Ended } from "../../cli/in-process.fixture.ts";
import { statusOf } from "../../base/exit.ts";
import { staged } from "../proof/staged.fixture.ts";
import { forwarding } from "../server/forwarding.fixture.ts";
import type { Report } from "../report/report.ts";
import type { Profile } from "../server/profile.ts";

const program = resolve(import.meta.dirname, "../../cli/cli.ts");
const home = await mkdtemp(join(tmpdir(), "capability-contract-main-"));
afterAll(() => rm(home, { recursive: true, force: true }));

/** Runs Node in a child process and returns how it ended. */
const node = (...args: string[]): Promise<Ended> =>
  new Promise((done) => {
    const options = { cwd: home, maxBuffer: 1e8 };
    execFile(process.execPath, args, options, (error, stdout, stderr) =>
      done({ status: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });

const [summary, outputs] = [join(home, "summary.md"), join(home, "outputs")];

beforeEach(() => {
  vi.stubEnv("GITHUB_ACTIONS", "");
  vi.stubEnv("GITHUB_STEP_SUMMARY", summary);
  vi.stubEnv("GITHUB_OUTPUT", outputs);
});

/**
 * A profile of the accounts and tools, which are else registered and searched for, and of how late the audit may
 * be, which is else measured.
 */
const prompt = join(home, "prompt.yaml");

const judge = (...flags: string[]): Promise<Ended> => ranHere("conformance", ...flags);

/** A check with few requests, its rules, and a check that is unverified with that profile. */
const quick = ["--only", "DISC-01"];
const doubtful = ["--only", "DISC-43"];

describe("the exit status", () => {
  let profile: Profile;
  let stop = (): void => undefined;
  let stopped: Promise<void>;
  beforeAll(async () => {
    await new Promise<void>((started, failed) => {
      stopped = staged(async (given) => {
        profile = given;
        started();
        await new Promise<void>((end) => (stop = end));
      });
      stopped.catch(failed);
    });
    const { credentials, tools } = profile;
    await writeFile(prompt, JSON.stringify({ credentials, tools, audit_lag: 0.2 }));
  });
  afterAll(async () => {
    stop();
    await stopped;
  });

  it("is 0 when nothing failed, and 1 strictly when something is unverified", async () => {
    const address = ["--profile", prompt, "--base-url", profile.base_url];
    const right = await judge(...address, "--quiet", ...quick);
    expect(right).toMatchObject({ status: 0, stderr: "" });
    expect(right.stdout).toMatch(/✓ +\d+ passed/);
    const both = [...address, ...quick, ...doubtful];
    expect((await judge(...both)).status).toBe(0);
    expect((await judge(...both, "--strict")).status).toBe(1);
  });

  it("is 3 when nothing was judged, and the first line says so", async () => {
    const unjudged = await judge("--base-url", profile.base_url, ...doubtful);
    expect(unjudged.status).toBe(3);
    expect(unjudged.stdout).toMatch(/^Unverified: nothing was judged/);
  });

  it("is 1 when the server failed, and 0 again when that is a known failure; a known failure that passes is 1", async () => {
    const broken = await forwarding(profile.base_url, (body) => body.replaceAll('"search_id"', '"searchId"'));
    const known = join(home, "known.yaml");
    const flags = ["--profile", known];
    try {
      const report = join(home, "broken.json");
      const search = ["--only", "DISC-02", "--fast", "--json", report, "--base-url", broken.baseUrl];
      const failed = await judge("--profile", prompt, ...search, "--github");
      expect(failed.status).toBe(1);
      expect(failed.stdout).toMatch(/^::error title=DISC-/m);
      const { checks } = JSON.parse(await readFile(report, "utf8")) as Report;
      const red = checks.filter(({ verdict }) => verdict === "fail" || verdict === "warn");
      expect(red.length).toBeGreaterThan(0);
      expect((await judge("--judge-again", report)).status).toBe(1);
      for (const again of [
        ["--failed", report],
        ["--verify", "1", "--report", report],
      ])
        expect(await judge(...again)).toMatchObject({
          status: 2,
          stderr: expect.stringContaining(`to judge that again, add --base-url ${broken.baseUrl}`) as string,
        });

      const [{ id }] = red as [(typeof red)[0]];
      flags.push("--only", id);
      const listed = { base_url: broken.baseUrl, known_failures: [id] };
      await writeFile(known, JSON.stringify({ ...JSON.parse(await readFile(prompt, "utf8")), ...listed }));
      expect((await judge(...flags)).status).toBe(0);
    } finally {
      await broken.close();
    }
    const mended = await judge(...flags, "--base-url", profile.base_url);
    expect(mended.status).toBe(1);
    expect(mended.stdout).toContain("take it off the list");
  });

  it("gates on what a change brings: known, inherited, introduced, fixed", async () => {
    const broken = await forwarding(profile.base_url, (body) => body.replaceAll('"search_id"', '"searchId"'));
    const [known, right, wrong] = ["failures.yaml", "right.json", "wrong.json"].map((name) =>
      join(home, name),
    );
    const at = (url: string, ...flags: string[]): Promise<Ended> =>
      judge("--profile", prompt, "--base-url", url, "--only", "DISC-02", "--fast", ...flags);
    try {
      const update = ["--known", known!, "--update-known"];
      expect((await at(broken.baseUrl, ...update, "--json", wrong!)).status).toBe(0);
      expect((await at(broken.baseUrl, "--known", known!)).status).toBe(0);
      const mendedList = await at(profile.base_url, "--known", known!, "--json", right!);
      expect([mendedList.status, mendedList.stdout]).toEqual([
        1,
        expect.stringContaining("take it off the list"),
      ]);
      expect((await at(profile.base_url, ...update)).status).toBe(0);
      expect(parse(await readFile(known!, "utf8"))).toEqual([]);

      await at(broken.baseUrl, "--json", wrong!);
      const inherited = await at(broken.baseUrl, "--base", wrong!, "--github");
      expect(await readFile(summary, "utf8")).toMatch(
        /### Known\n\n- `DISC-\S+` inherited, failing since \d{4}-/,
      );
      expect([inherited.status, inherited.stdout]).toEqual([0, expect.stringMatching(/0 introduced, [1-9]/)]);
      const mended = await at(profile.base_url, "--base", wrong!, "--json", right!, "--github");
      expect(await readFile(summary, "utf8")).toMatch(/### Fixed\n\n- `DISC-/);
      await rm(outputs);
      expect([mended.status, mended.stdout]).toEqual([
        0,
        expect.stringMatching(/0 inherited, [1-9]\d* fixed/),
      ]);
      const introduced = await at(broken.baseUrl, "--base", right!, "--github");
      expect([introduced.status, introduced.stdout]).toEqual([
        1,
        expect.stringMatching(/[1-9]\d* introduced, 0/),
      ]);
      expect(await readFile(outputs, "utf8")).toMatch(/^verdict=failed\nfailed=\d+\nclauses=DISC-/);
      expect(await readFile(summary, "utf8")).toMatch(/### Fix first\n\n- \*\*DISC-/);
      expect((await at(broken.baseUrl, "--base", join(home, "none.json"))).status).toBe(2);
    } finally {
      await broken.close();
    }
  });

  it("is 2 for wrong use, with what would be right", async () => {
    const file = join(home, "wrong.yaml");
    await writeFile(file, "base_url: http://127.0.0.1:9/api/v1\ntools: { chargd: a }\n");
    for (const [flags, sentence] of [
      [["--bogus"], /Unknown option '--bogus'/],
      [["--concurrency", "0"], /--concurrency must be a whole number, at least 1/],
      [["--base-url", "localhost:8080"], /--base-url must be an http or https address, such as/],
      [["--profile", join(home, "none.yaml")], /none\.yaml cannot be read/],
      [["--profile", file], /wrong\.yaml:2: tools\.chargd: not known here/],
      [["--only", "CALLS", "--base-url", profile.base_url], /CALLS is not an area, clause or check/],
      [["--judge-again", file], /wrong\.yaml is not JSON/],
    ] as const) {
      const ended = await judge(...flags);
      expect([ended.status, flags]).toEqual([2, flags]);
      expect(ended.stderr).toMatch(sentence);
      expect(ended.stderr).not.toMatch(/^\s+at /m);
    }
    await writeFile(file, `base_url: ${profile.base_url}\ncredentials: { account: sk-wrong }\n`);
    const refused = await judge("--profile", file, ...quick);
    expect(refused.status).toBe(2);
    expect(refused.stderr).toContain("the server refuses the key of credentials.account");
  });

  it("is 3 when no server answers, or none of this kind", async () => {
    const silent = await judge("--base-url", "http://127.0.0.1:9/api/v1");
    expect(silent).toMatchObject({ status: 3, stdout: "" });
    expect(silent.stderr).toContain("cannot be reached");
    const other = await judge("--base-url", profile.base_url.replace("/api/v1", ""));
    expect(other.status).toBe(3);
    expect(other.stderr).toContain("the base URL ends in /api/v1");
  });

  it("is 4 when the suite itself breaks, and says that the server is not to blame", async () => {
    const said = vi.spyOn(console, "error").mockReturnValue(undefined);
    expect(await statusOf(() => Promise.reject(new TypeError("a slip")))).toBe(4);
    expect(said.mock.calls.flat().join("\n")).toContain("this says nothing about the server");
  });

  it("is that of the process too", async () => {
    const report = join(home, "failed.json");
    const broken = await forwarding(profile.base_url, (body) => body.replaceAll('"search_id"', '"searchId"'));
    const search = ["--profile", prompt, "--only", "DISC-02", "--json", report];
    await judge("--base-url", broken.baseUrl, ...search).finally(broken.close);
    // A rule of the suite that throws: the other verdicts are still there.
    const stumbling = `
      import { rules } from ${JSON.stringify(resolve(import.meta.dirname, "../suite/rules.ts"))};
      rules.push({ id: "DISC-01/stumbles", clauses: ["DISC-01"], title: "stumbles", judge: () => { throw new TypeError("a slip"); } });
      process.argv = ["node", "cli", ${JSON.stringify(["conformance", "--profile", prompt, "--base-url", profile.base_url, ...quick]).slice(1)};
      await import(${JSON.stringify(program)});
    `;
    const ended = await Promise.all([
      node(program, "--version"),
      node(program, "conformance", "--judge-again", report),
      node(program, "conformance", "--bogus"),
      node(program, "conformance", "--base-url", "http://127.0.0.1:9/api/v1"),
      node("--input-type=module", "-e", stumbling),
    ]);
    expect(ended.map(({ status }) => status)).toEqual([0, 1, 2, 3, 4]);
    expect(ended[4]!.stdout).toContain("TypeError: a slip");
    expect(ended[4]!.stdout).toMatch(/✓ +\d+ passed/);
  });
});
