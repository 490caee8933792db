import { encoded } from "../../../base/address.ts";
import { readFile } from "node:fs/promises";
import { WrongUse } from "../../../base/exit.ts";
import type { Run } from "../../judge/finding.ts";
import { levelOf } from "../../judge/level.ts";
import { operations, type OperationId } from "../../../generated/contract.ts";
import { Blocked, Unverifiable } from "../../judge/verdict.ts";
import type { Need } from "../../run/check.ts";
import { judgedQuestions, type Question } from "../../../base/judged.ts";
import { run } from "../../run/run.ts";
import { Client } from "../../server/client.ts";
import { whyOff, type Profile } from "../../server/profile.ts";
import { Secrets } from "../../server/secrets.ts";
import { Waiting } from "../../server/waiting.ts";
import type { DriftReport, LocatedChange, Settings } from "../change.ts";
import { compareDocuments, placed, sorted } from "../compare.ts";
import { Document } from "../document.ts";
import { Comparison } from "../comparison.ts";
import { canonical } from "../../../base/data.ts";
import type { Source } from "../source.ts";
import { parsed } from "../../../base/yaml/text.ts";
import { compareFacts, vocabulariesOf } from "./compare-facts.ts";
import { compareTraffic } from "./compare-traffic.ts";

const versionHeader = "X-Service-Api-Version";

/** The first clauses of the checks whose requests are sent: some to each operation, and some that it refuses. */
const asked = new Set(
  `HTTP-01 ACCT-24 AUTH-02 CALL-25 CAPA-07 CAPA-23 DISC-21 DISC-30 INSP-07 LEDG-10 LEDG-18 LEDG-35 LSUM-14 PROB-08
  PROB-14 PROB-19 RSLT-03 RSLT-26 USAG-26 USAG-28 USAG-76 USUM-18`.split(/\s+/),
);

/** What these checks may need: a cheap tool and what else a profile usually names. */
const needed = new Set<Need>(["tool.charged", "capability.query", "capability.detail", "jwt"]);

/**
 * Compares a server with our contract: its version header, its published document, and its answers to some checks.
 * @throws Unreachable when no server of this kind answers; WrongUse when it refuses the profile's key
 */
export async function driftLive(
  // The server's clock is left as it is.
  { clock: _, ...profile }: Profile,
  ours: Source,
  settings: Settings,
  waitSeconds = 600,
): Promise<DriftReport> {
  const vocabularies = vocabulariesOf(ours.document);
  const comparison = new Comparison(ours.document, ours.document, { ...settings, vocabularies });
  const { version, notes, questions } = await compareRun(comparison, profile, waitSeconds);
  const published = await comparePublished(comparison, profile, version, notes, waitSeconds);
  const changes = sorted(placed([...comparison.list, ...published], null, ours));
  const names = { old: ours.name, new: profile.base_url };
  const versions = { old_version: ours.document.version, new_version: version };
  const judged = judgedQuestions(questions, "operation");
  return { command: "live", ...names, ...versions, changes, notes, judged };
}

/** Compares what the checks see. Its answers are gone before a document is read, which may be large. */
async function compareRun(comparison: Comparison, profile: Profile, waitSeconds: number) {
  const { checks } = await import("../../suite/checks.ts");
  const { rules } = await import("../../suite/rules.ts");
  const seen = await run(profile, {
    checks: checks.filter(
      ({ clauses: [first = ""], needs = [] }) => asked.has(first) && needs.every((need) => needed.has(need)),
    ),
    rules: rules.filter(({ clauses }) => levelOf(clauses) === "must"),
    concurrency: 1,
    waitSeconds,
  });
  const version = compareVersion(comparison, seen);
  compareAnswers(comparison, seen);
  return { version, notes: notesOf(seen), questions: questionsOf(seen, profile) };
}

/** Whose answers were compared: those of operations that did what was asked, at least once. */
function questionsOf({ exchanges }: Run, profile: Profile): Question[] {
  const answered = new Set(
    exchanges
      .filter(({ response }) => response !== null && response.status < 400)
      .map((exchange) => exchange.operation),
  );
  return (Object.keys(operations) as OperationId[])
    .filter((operation) => whyOff(profile, operation) === undefined)
    .map((operation) => ({
      what: `the answers of ${operation}`,
      lack: answered.has(operation) ? null : { what: "no answer was a success", by: "reason" },
    }));
}

/** Why some answers were not seen: for want of a key, of a tool, of a capability. */
function notesOf({ findings }: Run): string[] {
  const lacking = findings.filter(({ verdict, remedy }) => verdict === "blocked" || remedy !== null);
  const reasons = lacking.map(({ reason, remedy }) =>
    remedy === null ? reason : `${reason}; a profile gives ${remedy}`,
  );
  return [...new Set(reasons)].map((reason) => `Some answers were not seen: ${reason}.`);
}

/**
 * Compares answers with our document, which says more than the contract where that can be read in two ways: a
 * difference only in answers that break no rule of the suite is a risk.
 */
function compareAnswers(comparison: Comparison, { exchanges, broken }: Run): void {
  const groups = Map.groupBy(exchanges, (exchange) => !broken.has(exchange));
  compareTraffic(comparison, groups.get(false) ?? []);
  const reported = new Set(comparison.list);
  compareTraffic(comparison, groups.get(true) ?? []);
  for (const change of comparison.list) {
    // A refusal may have another status; no rule about one exchange says when a success may.
    const isSuccess = change.kind === "live_status_undocumented" && Number(change.new) < 400;
    if (reported.has(change) || change.class !== "breaking" || isSuccess) continue;
    change.class = "risky";
    change.why =
      "the contract's words permit it, but clients that were written from its document may not know it";
  }
}

/** The announced version; reports a missing one or one that differs from ours. */
function compareVersion(comparison: Comparison, { exchanges }: Run): string | null {
  const ours = comparison.new.version;
  let seen: string | null = null;
  for (const { operation, response } of exchanges) {
    if (operation === null || response === null) continue;
    const named = response.headers[versionHeader.toLowerCase()];
    const details = { operation, where: `header ${versionHeader}`, old: ours ?? undefined, new: named };
    if (named === undefined)
      comparison.add("live_version_missing", { ...details, newPointer: "/components/headers/ApiVersion" });
    else if (named !== ours)
      comparison.add("live_version_differs", { ...details, newPointer: "/info/version" });
    seen ??= named ?? null;
  }
  return seen;
}

/** Compares the published document with ours, and the one at the address of its version with it. */
async function comparePublished(
  comparison: Comparison,
  profile: Profile,
  version: string | null,
  notes: string[],
  waitSeconds: number,
): Promise<LocatedChange[]> {
  const { origin, pathname } = new URL(profile.base_url);
  const ca = profile.tls?.ca === undefined ? undefined : await readFile(profile.tls.ca, "utf8");
  const client = new Client(origin, new Secrets(), new Waiting(waitSeconds), undefined, { ca });
  const prefix = pathname.replace(/\/+$/, "");
  const fetched = async (file: string): Promise<string | undefined> => {
    for (const path of new Set([file, prefix + file])) {
      const answer = await client.send({ method: "GET", path }).catch((error: unknown) => {
        if (!(error instanceof Blocked || error instanceof Unverifiable)) throw error;
        notes.push(`${path} could not be read: ${error.message}`);
      });
      if (answer?.status === 200) return answer.text;
    }
    return undefined;
  };
  try {
    const text = await fetched("/openapi.json");
    if (text === undefined) {
      comparison.add("live_document_missing", { where: `/openapi.json and ${prefix}/openapi.json` });
      return [];
    }
    const published = parsed("the published document", text).value;
    const pinnedPath = `/openapi/${encoded(version ?? "")}.json`;
    const pinned = version === null ? undefined : await fetched(pinnedPath);
    if (pinned === undefined)
      notes.push(`The server has no document at ${pinnedPath}; the contract names no address.`);
    else if (canonical(parsed(pinnedPath, pinned).value) !== canonical(published))
      comparison.add("live_pinned_document_differs", { where: pinnedPath });
    const theirs = new Document("the published document", published);
    const between = compareDocuments(comparison.new, theirs, comparison.settings);
    compareFacts(between);
    return between.list;
  } catch (error) {
    if (!(error instanceof WrongUse)) throw error;
    notes.push(`The published document was not compared: ${error.message}.`);
    return [];
  } finally {
    client.close();
  }
}
