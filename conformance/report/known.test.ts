import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WrongUse } from "../../base/exit.ts";
import type { Finding, Run } from "../judge/finding.ts";
import type { Verdict } from "../judge/verdict.ts";
import {
  judgedAgainst,
  judgedByFile,
  judgedByList,
  knownBefore,
  knownOf,
  knownText,
  readKnown,
} from "./known.ts";
import { exitStatus } from "./exit.ts";
import { reportOf, type Report } from "./report.ts";
import { bareFinding as finding } from "./bare-finding.fixture.ts";
import { terminalReport } from "./terminal.ts";
import { defaultProfile } from "../server/profile.ts";

const judged = (findings: Finding[], known: string[]): [Verdict, string | null][] => {
  judgedByList(findings, known);
  return findings.map(({ verdict, reason }) => [verdict, reason]);
};

describe("the list of known failures", () => {
  it("sets listed failures apart, by clause or by check, and keeps the reason", () => {
    const set = ["known", "expected 0"];
    expect(judged([finding("a", "fail"), finding("b", "pass")], ["CALL-07"])).toEqual([set, ["pass", null]]);
    expect(judged([finding("a", "warn"), finding("b", "fail")], ["a"])).toEqual([
      set,
      ["fail", "expected 0"],
    ]);
    expect(judged([finding("a", "fail")], ["a", "CALL-07"])).toEqual([set]);
  });

  it("fails a listed check that passes", () => {
    expect(judged([finding("a", "pass"), finding("b", "pass", ["CALL-08"])], ["CALL-07"])).toEqual([
      ["fail", "CALL-07 is listed under known_failures and passes; take it off the list in the profile"],
      ["pass", null],
    ]);
  });

  it("says nothing about a listed check that is in doubt", () => {
    for (const verdict of ["unverified", "blocked", "error", "not_applicable"] as const) {
      expect(judged([finding("a", verdict)], ["CALL-07"])).toEqual([[verdict, "expected 0"]]);
    }
  });

  it("takes the id that a check had in an earlier release", async () => {
    const old = "AUTH-04/a-key-that-is-cut-short-or-goes-on-is-refused";
    const id = "AUTH-04/a-key-that-is-cut-short-or-extended-is-refused";
    expect(judged([finding(id, "fail")], [old])).toEqual([["known", "expected 0"]]);
    const home = await mkdtemp(join(tmpdir(), "capability-contract-known-"));
    const file = join(home, "known.yaml");
    await writeFile(file, knownText(knownOf(runOf(failing(old, "1")), [], now)));
    expect((await readKnown(file)).map(({ check }) => check)).toEqual([id]);
    await rm(home, { recursive: true });
  });

  it("refuses a name that the run does not know", () => {
    expect(() => judgedByList([finding("a", "pass")], ["CALL-99"])).toThrow(WrongUse);
    expect(() => judgedByList([finding("a", "pass")], ["CALL-99"])).toThrow(/CALL-99 is neither/);
  });
});

const runOf = (...findings: Finding[]): Run => ({
  findings,
  exchanges: [],
  broken: new Map(),
  choices: [],
  started_at: Date.UTC(2026, 10, 1),
  duration_ms: 1,
  version_note: null,
  waited_ms: 0,
  gone: null,
  interrupted: false,
  sent: { requests: 0, credits: 0 },
});

/** A check that fails because of the value it received. */
const failing = (id: string, received: string): Finding => ({
  ...finding(id, "fail"),
  reason: `expected true, received ${received}`,
  expected: "true",
  received,
});
const verdictsOf = ({ findings }: Run): [Verdict, string | null][] =>
  findings.map(({ verdict, reason }) => [verdict, reason]);
const now = Date.UTC(2026, 10, 26);

describe("a file of known failures", () => {
  let home: string;
  beforeAll(async () => (home = await mkdtemp(join(tmpdir(), "capability-contract-known-"))));
  afterAll(() => rm(home, { recursive: true }));

  it("turns failed to passed with what a run wrote, and notices a check that fails in another way or passes", async () => {
    const file = join(home, "known.yaml");
    const known = knownOf(runOf(failing("a", '"true"'), finding("b", "pass")), await knownBefore(file), now);
    await writeFile(file, knownText(known));
    expect(await readKnown(file)).toEqual([
      {
        check: "a",
        fails: 'expected true, received "true"',
        reason: "not fixed yet",
        since: "2026-11-26",
        expires: "2027-02-24",
      },
    ]);
    const [again, other, mended] = [
      runOf(failing("a", '"true"')),
      runOf(failing("a", "null")),
      runOf(finding("a", "pass")),
    ];
    for (const run of [again, other, mended]) judgedByFile(run, known, "2026-12-24");
    expect(again.findings[0]).toMatchObject({
      verdict: "known",
      known: { by: "list", verdict: "fail", until: "2027-02-24", reason: "not fixed yet" },
    });
    expect(other.findings).toMatchObject([
      {
        verdict: "fail",
        reason: "expected true, received null",
        note: expect.stringMatching(
          /^listed as a known failure that fails in another way \(expected true, received "true"\); fix it, .*--update-known/,
        ) as string,
      },
    ]);
    expect(verdictsOf(mended)).toEqual([
      ["fail", "a is listed as a known failure and passes; take it off the list with --update-known"],
    ]);
  });

  it("ends on its day, and keeps a reason that was written by hand", () => {
    const [entry] = knownOf(runOf(failing("a", "1")), [], now);
    const late = runOf(failing("a", "1"));
    judgedByFile(late, [entry!], "2027-02-25");
    expect(late.findings[0]).toMatchObject({
      verdict: "fail",
      note: expect.stringMatching(
        /^listed as a known failure until 2027-02-24, which is over \(.*; fix it, or .*--update-known/,
      ) as string,
    });
    const said = { ...entry!, reason: "until the new ledger" };
    expect(knownOf(runOf(failing("a", "1")), [said], now + 86_400_000)).toEqual([said]);
    expect(knownOf(runOf(failing("a", "1")), [said], Date.UTC(2027, 5, 1))).toMatchObject([
      { reason: "until the new ledger", since: "2027-06-01" },
    ]);
  });

  it("keeps an entry whose check was not judged, and drops one that passes", () => {
    const known = knownOf(runOf(failing("a", "1"), failing("b", "1"), failing("c", "1")), [], now);
    const left = knownOf(runOf(finding("a", "pass"), finding("b", "unverified")), known, now);
    expect(left.map(({ check }) => check)).toEqual(["b", "c"]);
  });

  it("sees the same failure whatever the ids, times and counts, and another failure in another status", () => {
    const [entry] = knownOf(runOf(failing("a", "charge ch_7f31 of 4 credits")), [], now);
    const run = runOf(failing("a", "charge ch_99ab of 5 credits"));
    judgedByFile(run, [entry!], "2026-12-01");
    expect(run.findings[0]!.verdict).toBe("known");
  });

  it.each([
    ["check: a\n", /known\.yaml:1: must be a list of known failures/],
    [
      "- check: a\n  fails: x\n  reason: y\n  since: 2026-11-26\n  expires: soon\n",
      /known\.yaml:5: 0\.expires: must be a day/,
    ],
  ])("refuses %j with its line", async (content, message) => {
    const file = join(home, "known.yaml");
    await writeFile(file, content);
    await expect(readKnown(file)).rejects.toThrow(message);
    await expect(readKnown(join(home, "none.yaml"))).rejects.toThrow(/--update-known writes it/);
  });
});

describe("the report of a base branch", () => {
  const baseOf = (...findings: Finding[]): Report =>
    reportOf(runOf(...findings), defaultProfile("http://127.0.0.1:9/api/v1"));

  it("sets apart what failed there in the same way, and dates it", () => {
    const base = baseOf(failing("a", "1"), failing("b", "false"), failing("c", "1"), finding("d", "pass"));
    const run = runOf(failing("a", "2"), failing("b", "null"), finding("c", "pass"), finding("d", "fail"));
    expect(judgedAgainst(run, base, base.hashes)).toEqual({
      started_at: "2026-11-01T00:00:00.000Z",
      introduced: ["b", "d"],
      inherited: ["a"],
      mended: ["c"],
      unverified: [],
    });
    expect(run.findings[0]).toMatchObject({
      verdict: "known",
      reason: "expected true, received 2",
      known: { by: "base", verdict: "fail", since: "2026-11-01" },
    });
    const next = runOf(failing("a", "3"));
    const later = reportOf({ ...run, started_at: now }, defaultProfile(base.target));
    judgedAgainst(next, later, base.hashes);
    expect(next.findings[0]!.known).toMatchObject({ since: "2026-11-01" });
  });

  it("fails for what it had verified and this run did not, unless --fast leaves it out", () => {
    const base = baseOf(finding("a", "pass"), finding("b", "pass"), finding("c", "unverified"));
    const spared = { ...finding("b", "unverified"), reason: "left out by --fast" };
    const run = runOf(finding("a", "unverified"), spared, finding("c", "unverified"));
    const against = judgedAgainst(run, base, base.hashes);
    expect(against.unverified).toEqual(["a"]);
    const report = { ...reportOf(run, defaultProfile(base.target)), base: against };
    expect(exitStatus({ ...report, summary: { ...report.summary, pass: 1 } }, false)).toBe(1);
    expect(
      exitStatus(
        { ...report, base: { ...against, unverified: [] }, summary: { ...report.summary, pass: 1 } },
        false,
      ),
    ).toBe(0);
    expect(terminalReport(report, (_, text) => text)).toMatch(
      /1 no longer verified, which the base had verified: this fails the run\n {2}a: /,
    );
  });

  it("says that another suite judged it, and never excuses an internal error", () => {
    const run = runOf(finding("a", "error"));
    const base = baseOf(finding("a", "error"));
    const against = judgedAgainst(run, base, { ...base.hashes, suite: "another" });
    expect(against).toMatchObject({ other_suite: true, introduced: ["a"], inherited: [] });
  });
});
