import { readFile } from "node:fs/promises";
import { probeChecks, type OperationId } from "../../../generated/contract.ts";
import type { Exchange } from "../../judge/exchange.ts";
import { Judging } from "../../judge/judge-exchanges.ts";
import { levelOf } from "../../judge/level.ts";
import { seenOf } from "../../judge/seen.ts";
import { greet } from "../../run/greet.ts";
import { Stranger, type Account } from "../../server/account.ts";
import { Client } from "../../server/client.ts";
import { whyOff, type Profile } from "../../server/profile.ts";
import { Secrets } from "../../server/secrets.ts";
import { Session } from "../../server/session.ts";
import { findTools } from "../../server/tools.ts";
import { Waiting } from "../../server/waiting.ts";
import { Blocked, Unverifiable } from "../../judge/verdict.ts";
import type { DriftReport, Finding, Settings } from "../change.ts";
import { WrongUse } from "../../../cli/exit.ts";
import { compareDocuments, placed, sorted } from "../compare.ts";
import { Document } from "../document.ts";
import { Findings } from "../findings.ts";
import { canonical } from "../json.ts";
import type { Source } from "../source.ts";
import { parsed } from "../text.ts";
import { compareFacts, vocabulariesOf } from "./compare-facts.ts";
import { compareTraffic } from "./compare-traffic.ts";

const versionHeader = "X-Service-Api-Version";

/**
 * Compares a server with our contract: its version header, its published document, and its answers to a few requests.
 * @throws Unreachable when no server of this kind answers; WrongUse when it refuses the profile's key
 */
export async function driftLive(
  profile: Profile,
  ours: Source,
  settings: Settings,
  waitSeconds?: number,
): Promise<DriftReport> {
  const secrets = new Secrets();
  secrets.learnFromProfile(profile);
  const ca = profile.tls?.ca === undefined ? undefined : await readFile(profile.tls.ca, "utf8");
  const off = (operation: OperationId | null): string | undefined => whyOff(profile, operation);
  const client = new Client(profile.base_url, secrets, new Waiting(waitSeconds), undefined, { ca, off });
  const notes: string[] = [];
  const exchanges: Exchange[] = [];
  client.listen((exchange) => exchanges.push(exchange));
  try {
    const session = new Session(client, secrets);
    await greet(profile, session);
    await tour(new Stranger(session, profile), profile, notes);
    const vocabularies = vocabulariesOf(ours.document);
    const findings = new Findings(ours.document, ours.document, { ...settings, vocabularies });
    const version = compareVersion(findings, exchanges);
    await compareAnswers(findings, exchanges);
    const published = await comparePublished(findings, profile, { client, ca }, version, notes);
    return {
      command: "live",
      old: ours.name,
      new: profile.base_url,
      old_version: ours.document.version,
      new_version: version,
      changes: sorted(placed([...findings.list, ...published], null, ours)),
      notes,
    };
  } finally {
    client.close();
  }
}

/**
 * Compares answers with our document, which says more than the contract where that can be read in two ways: a
 * difference only in answers that break no rule of the suite is a risk.
 */
async function compareAnswers(findings: Findings, exchanges: readonly Exchange[]): Promise<void> {
  const { rules } = await import("../../suite/rules.ts");
  const judging = new Judging(rules.filter(({ clauses }) => levelOf(clauses) === "must"));
  const isLawful = (exchange: Exchange): boolean => {
    const seen = seenOf(exchange);
    return seen !== null && judging.hold(seen).length === 0;
  };
  const groups = Map.groupBy(exchanges, isLawful);
  compareTraffic(findings, groups.get(false) ?? []);
  const reported = new Set(findings.list);
  compareTraffic(findings, groups.get(true) ?? []);
  for (const finding of findings.list) {
    // A refusal may have another status; no rule about one exchange says when a success may.
    const isSuccess = finding.kind === "live_status_undocumented" && Number(finding.new) < 400;
    if (reported.has(finding) || finding.class !== "breaking" || isSuccess) continue;
    finding.class = "risky";
    finding.why =
      "the contract's words permit it, but clients that were written from its document may not know it";
  }
}

/** The announced version; reports a missing one or one that differs from ours. */
function compareVersion(findings: Findings, exchanges: readonly Exchange[]): string | null {
  const ours = findings.new.version;
  let seen: string | null = null;
  for (const { operation, response } of exchanges) {
    if (operation === null || response === null) continue;
    const named = response.headers[versionHeader.toLowerCase()];
    const found = { operation, where: `header ${versionHeader}`, old: ours ?? undefined, new: named };
    if (named === undefined)
      findings.add("live_version_missing", { ...found, newPointer: "/components/headers/ApiVersion" });
    else if (named !== ours) findings.add("live_version_differs", { ...found, newPointer: "/info/version" });
    seen ??= named ?? null;
  }
  return seen;
}

/** Compares the published document with ours, and the one at the address of its version with it. */
async function comparePublished(
  findings: Findings,
  profile: Profile,
  via: { client: Client; ca: string | undefined },
  version: string | null,
  notes: string[],
): Promise<Finding[]> {
  const { origin, pathname } = new URL(profile.base_url);
  const client = new Client(origin, new Secrets(), via.client.waiting, undefined, { ca: via.ca });
  const prefix = pathname.replace(/\/+$/, "");
  const fetched = async (file: string): Promise<string | undefined> => {
    for (const path of new Set([file, prefix + file])) {
      const note = missed((error) => notes.push(`${path} could not be read: ${error.message}`));
      const answer = await client.send({ method: "GET", path }).catch(note);
      if (answer?.status === 200) return answer.text;
    }
    return undefined;
  };
  try {
    const text = await fetched("/openapi.json");
    if (text === undefined) {
      findings.add("live_document_missing", { where: `/openapi.json and ${prefix}/openapi.json` });
      return [];
    }
    const published = parsed("the published document", text).value;
    const pinnedPath = `/openapi/${encodeURIComponent(version ?? "")}.json`;
    const pinned = version === null ? undefined : await fetched(pinnedPath);
    if (pinned === undefined)
      notes.push(`The server has no document at ${pinnedPath}; the contract names no address.`);
    else if (canonical(parsed(pinnedPath, pinned).value) !== canonical(published))
      findings.add("live_pinned_document_differs", { where: pinnedPath });
    const theirs = new Document("the published document", published);
    const between = compareDocuments(findings.new, theirs, findings.settings);
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

/** Passes on why a request could not be completed; any other error is ours. */
const missed =
  (report: (error: Blocked | Unverifiable) => unknown = () => undefined) =>
  (error: unknown): undefined => {
    if (!(error instanceof Blocked || error instanceof Unverifiable)) throw error;
    report(error);
  };

/** A few valid and invalid requests to every operation available to the account. */
async function tour(stranger: Stranger, profile: Profile, notes: string[]): Promise<void> {
  // Unreadable answers are for the suite to judge; here only the content counts.
  const note = missed((error) => {
    if (error instanceof Unverifiable && !notes.includes(error.message)) notes.push(error.message);
  });
  await stranger.ask("getCredits").catch(note);
  const account = await accountOf(stranger, profile).catch(missed());
  if (account === undefined) {
    notes.push(
      "Answers to requests with a credential were not seen: no key was available; a profile gives one.",
    );
    return;
  }
  const tools = (await findTools(account, profile).catch(missed())) ?? profile.tools;
  const tool = Object.values(tools).find((use) => use?.parameters !== undefined);
  if (tool === undefined)
    notes.push("No Call was seen: no tool that a trial can afford was found; a profile names one.");
  const { detail, query } = profile.capabilities;
  if (!query) notes.push("Capability queries were not seen: the profile names no capability.");
  const body = { capability_id: query?.id, parameters: query?.parameters ?? {}, max_credits: 5 };
  const requests: (() => Promise<unknown>)[] = [
    () => account.discover({ query: "weather", view: "routing" }),
    () => account.discover({ limit: 1000 }),
    () => account.probe("no.such.tool", {}),
    ...(tool === undefined ? [] : callTour(account, { id: tool.id, parameters: tool.parameters! })),
    ...auditTour(account),
    ...(detail ? [() => account.ask("getCapability", { parameter: detail.id })] : []),
    ...(query ? [() => account.ask("queryCapability", { body })] : []),
  ];
  for (const request of requests) await request().catch(note);
}

async function accountOf(stranger: Stranger, { credentials }: Profile): Promise<Account | undefined> {
  if (credentials.account !== undefined) return stranger.withKey(credentials.account);
  const trial = await stranger.ask("registerAnonymous", { body: { agent_name: "drift" } });
  const key = trial.at("data.api_key").value;
  return typeof key === "string" ? stranger.withKey(key) : undefined;
}

const callTour = (account: Account, tool: { id: string; parameters: Record<string, unknown> }) => [
  () => account.inspect([tool.id]),
  () => account.inspect({ tool_ids: [tool.id], view: "lean" }),
  () => account.probe(tool.id, { parameters: tool.parameters, checks: probeChecks }),
  () => account.probe(tool.id, { parameters: 1 }),
  () => account.call(tool),
  () => account.call(tool, { respond_with: "summary" }),
  () => account.call(tool, { max_response_size: 1 }),
  () => account.call(tool, { parameters: null }),
  () => account.call({ id: "no.such.tool", parameters: {} }),
];

const plainly =
  "listUsageFeed exportUsage exportLedger getLedgerReadiness listSettlements getCredits getCreditsSpent verifyToken".split(
    " ",
  ) as OperationId[];

const auditTour = (account: Account) => [
  async () => {
    const event = (await account.usage({ include_details: true, summary: true })).at("data.items.0.id").value;
    if (typeof event === "string") await account.ask("getUsageEvent", { parameter: event });
  },
  () => account.ask("getUsageEvent", { parameter: "00000000-0000-4000-8000-000000000000" }),
  () => account.usage({ bucket: "year" }),
  async () => {
    const entry = (await account.ledger({ summary: true })).at("data.items.0.id").value;
    if (typeof entry === "string") await account.ask("getLedgerEntry", { parameter: entry });
  },
  () => account.ledger({ direction: "sideways" }),
  ...plainly.map((operation) => () => account.ask(operation)),
];
