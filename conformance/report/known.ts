import { existsSync } from "node:fs";
import { stringify } from "yaml";
import { WrongUse } from "../../base/exit.ts";
import { givenText } from "../../base/read.ts";

import { yamlReader } from "../../base/yaml/schema.ts";
import type { Finding, Known, Run } from "../judge/finding.ts";
import { currentId } from "../judge/renamed.ts";
import { isRed } from "../judge/verdict.ts";
import { leftOut } from "../server/waiting.ts";
import { causesOrEach, type Cause } from "./causes.ts";
import type { Hashes } from "./hashes.ts";
import type { AgainstBase, Report, ReportedCheck } from "./format.ts";

/** A failure that may stay for a while. Dates are of the form 2026-11-30. */
export interface KnownFailure {
  /** The id of the check or rule that fails. */
  check: string;
  /** How it fails, as `mannerOf` describes it. */
  fails: string;
  reason: string;
  since: string;
  /** The last day on which it may fail. */
  expires: string;
}

/** Whether a finding fails as a list or the base branch's report says. */
export const isKnownFailure = ({ verdict }: Pick<Finding, "verdict">): boolean => verdict === "known";

/** Why a failure is accepted, in words. */
export function knownWords({ by, until, reason, since, blocked_by: blocker }: Known): string {
  const why =
    by === "base"
      ? `inherited, failing since ${since}`
      : by === "release"
        ? `new since ${since} (${reason})`
        : `listed as a known failure${until === undefined ? "" : ` until ${until}`}${reason === undefined ? "" : ` (${reason})`}`;
  return blocker === undefined ? why : `${why}, blocked by ${blocker}`;
}

/** Why a finding is set aside, and how it fails. */
export const asideWords = ({ known, reason }: Pick<Finding, "known" | "reason">): string =>
  `${knownWords(known!)}: ${reason}`;

/** Whether a finding is newer than the release by whose requirements the server is judged. */
export const isNew = ({ known }: Pick<Finding, "known">): boolean => known?.by === "release";

/** Whether a finding fails and is shown apart, since it fails nothing. */
export const isSetAside = ({ known }: Pick<Finding, "known">): boolean => known !== undefined;

/**
 * Applies the profile's list of known failures, in place: a listed failure becomes `known`, and a listed check
 * that passes becomes a failure, so that the list can only shrink.
 * @param known ids of checks or clauses
 * @throws WrongUse for a name that is neither a check nor a clause of the run
 */
export function judgedByList(findings: Finding[], known: readonly string[]): void {
  for (const name of known) {
    const id = currentId(name);
    const named = findings.filter((finding) => finding.id === id || finding.clauses.includes(name));
    if (named.length === 0)
      throw new WrongUse(`known_failures: ${name} is neither a check nor a clause of this run`);
    const failing = named.filter(({ verdict }) => verdict === "fail" || verdict === "warn");
    for (const finding of failing) accept(finding, { by: "list" });
    if (failing.length > 0 || named.some(isKnownFailure)) continue;
    for (const finding of named.filter(({ verdict }) => verdict === "pass")) {
      finding.verdict = "fail";
      finding.reason = `${name} is listed under known_failures and passes; take it off the list in the profile`;
    }
  }
}

/**
 * Applies a file of known failures, in place, as `judgedByList` does the profile's; a check that fails in another way
 * than its entry says, or after its date, stays a failure. A check that only waits for a known failure is known too.
 * @param today such as 2026-11-30
 */
export function judgedByFile(run: Run, known: readonly KnownFailure[], today: string): void {
  setAside(run, (findings) => {
    for (const { check, fails, reason, expires } of known) {
      const finding = findings.get(check);
      if (finding?.verdict === "pass") {
        finding.verdict = "fail";
        finding.reason = `${check} is listed as a known failure and passes; take it off the list with --update-known`;
      } else if (finding === undefined || !canBeKnown(finding)) continue;
      else if (mannerOf(finding) !== fails) {
        finding.note = `listed as a known failure that fails in another way (${fails}); fix it, or accept the new way with --update-known`;
      } else if (expires < today) {
        finding.note = `listed as a known failure until ${expires}, which is over (${reason}); fix it, or list it anew with --update-known`;
      } else accept(finding, { by: "list", until: expires, reason });
    }
  });
}

/** Sets findings aside, in place, and then what only these block. */
export function setAside(run: Run, choose: (findings: ReadonlyMap<string, Finding>) => void): void {
  const findings = new Map(run.findings.map((finding) => [finding.id, finding]));
  const { causes } = causesOrEach(run.findings, run);
  choose(findings);
  acceptBlocked(causes, findings);
}

/** Sets a finding aside as newer than a release. @param why what the release does not judge */
export const setAsNew = (finding: Finding, release: string, why: string): void =>
  accept(finding, { by: "release", since: release, reason: why });

/**
 * Sets apart, in place, findings that fail as they did in the base branch's report.
 * @param isLimited whether the run may stop short of what it was asked to verify
 * @returns what changed
 */
export function judgedAgainst(run: Run, base: Report, hashes: Hashes, isLimited = false): AgainstBase {
  const before = new Map(base.checks.map((check) => [check.id, check]));
  const mended: string[] = [];
  setAside(run, (findings) => {
    for (const [id, finding] of findings) {
      const since = sinceOf(before.get(id), base.started_at);
      if (since === null) continue;
      if (finding.verdict === "pass") mended.push(id);
      else if (canBeKnown(finding) && mannerOf(before.get(id)!) === mannerOf(finding))
        accept(finding, { by: "base", since });
    }
  });
  const ids = (chosen: (finding: Finding) => boolean): string[] =>
    run.findings.filter(chosen).map(({ id }) => id);
  return {
    started_at: base.started_at,
    ...(base.hashes.suite !== hashes.suite && { other_suite: true }),
    ...(base.hashes.profile !== hashes.profile && { other_profile: true }),
    introduced: ids(({ verdict }) => isRed(verdict)),
    inherited: ids(({ known }) => known?.by === "base"),
    mended,
    unverified: isLimited ? [] : ids((finding) => isLost(finding, before.get(finding.id))),
  };
}

/** Whether a check passed at the base and lacks something now, other than time that --fast spares. */
const isLost = ({ verdict, reason }: Finding, before: ReportedCheck | undefined): boolean =>
  verdict === "unverified" && before?.verdict === "pass" && reason !== leftOut().message;

/** An internal error is never known: it says nothing about the server. */
const canBeKnown = ({ verdict }: Finding): boolean => isRed(verdict) && verdict !== "error";

/** The day since which a check of the base is failing; null where it is not. */
function sinceOf(check: ReportedCheck | undefined, startedAt: string): string | null {
  if (check === undefined) return null;
  return check.known?.since ?? (isRed(check.verdict) ? startedAt.slice(0, 10) : null);
}

/** Sets a finding aside: a failure is then a known one. */
function accept(finding: Finding, why: Omit<Known, "verdict">): void {
  finding.known = { ...why, verdict: finding.verdict };
  finding.verdict = why.by === "release" ? "not_applicable" : "known";
}

/** Accepts what only findings that are set aside block. */
function acceptBlocked(causes: readonly Cause[], findings: ReadonlyMap<string, Finding>): void {
  for (const { lead, checks, blocks } of causes) {
    const known = findings.get(lead)!;
    if (!isSetAside(known) || !checks.every((id) => isSetAside(findings.get(id)!))) continue;
    for (const finding of blocks.map((id) => findings.get(id)!))
      if (finding.verdict === "blocked") accept(finding, { ...known.known!, blocked_by: lead });
  }
}

/**
 * How a check fails, for comparison between runs: the status of the answer at fault, and what was expected and
 * received, without the ids, times and counts that differ from run to run.
 */
export function mannerOf({
  expected,
  received,
  reason,
  exchanges,
  culprit,
}: Finding | ReportedCheck): string {
  const exchange = culprit === null ? undefined : exchanges[culprit];
  const status = exchange && ("status" in exchange ? exchange.status : exchange.response?.status);
  const said = expected === null ? (reason ?? "") : `expected ${expected}, received ${received}`;
  return `${status == null ? "" : `${status}: `}${said.replaceAll(/[\w.:/+-]*\d[\w.:/+-]*/g, "…")}`.slice(
    0,
    300,
  );
}

const text = { type: "string", minLength: 1 };
const day = { type: "string", pattern: "^\\d{4}-\\d\\d-\\d\\d$", description: "a day, such as 2026-11-30" };
const read = yamlReader<KnownFailure[]>({
  type: "array",
  description: "a list of known failures; --update-known writes one",
  items: {
    type: "object",
    required: ["check", "fails", "reason", "since", "expires"],
    additionalProperties: false,
    properties: { check: text, fails: text, reason: text, since: day, expires: day },
  },
});

/** What is read of a list. */
const mostBytes = 64 * 2 ** 20;

/**
 * Reads a file of known failures.
 * @throws WrongUse when it cannot be read or is not one
 */
export async function readKnown(file: string): Promise<KnownFailure[]> {
  const content = await givenText(file, mostBytes).catch((cause: unknown) => {
    const message = `--known: ${file} cannot be read: ${(cause as Error).message}; --update-known writes it`;
    throw new WrongUse(message, { cause });
  });
  return read(file, content).value.map((entry) => ({ ...entry, check: currentId(entry.check) }));
}

/** How long a new entry may stay. */
const lifetimeDays = 90;

/**
 * The failures of a run as a list. An entry stays as it is when its check fails as before, and when its check was not
 * judged.
 */
export function knownOf(run: Run, before: readonly KnownFailure[], now: number): KnownFailure[] {
  const entries = new Map(before.map((entry) => [entry.check, entry]));
  const passed = new Set(run.findings.filter(({ verdict }) => verdict === "pass").map(({ id }) => id));
  const red = new Set(
    causesOrEach(run.findings, run).causes.flatMap(({ lead, checks }) => [lead, ...checks]),
  );
  const failing = run.findings.filter((finding) => red.has(finding.id) && canBeKnown(finding));
  const failed = new Set(failing.map(({ id }) => id));
  return [
    ...before.filter(({ check }) => !passed.has(check) && !failed.has(check)),
    ...failing.map((finding) => {
      const [fails, entry] = [mannerOf(finding), entries.get(finding.id)];
      if (entry?.fails === fails && entry.expires >= dayOf(now)) return entry;
      const expires = dayOf(now + lifetimeDays * 86_400_000);
      return {
        check: finding.id,
        fails,
        reason: entry?.reason ?? "not fixed yet",
        since: dayOf(now),
        expires,
      };
    }),
  ];
}

/** The day of a time in milliseconds, in UTC. */
export const dayOf = (now: number): string => new Date(now).toISOString().slice(0, 10);

/** The list as a file. */
export const knownText = (known: readonly KnownFailure[]): string =>
  `# Failures that are known. Each must go on failing in this way until its date; say why under reason.
# capability-contract conformance … --known FILE --update-known writes this list.
${stringify(known)}`;

/** The entries of a file that is about to be rewritten; none where there is no file yet. */
export const knownBefore = (file: string): Promise<KnownFailure[]> =>
  existsSync(file) ? readKnown(file) : Promise.resolve([]);
