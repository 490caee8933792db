import { readFile } from "node:fs/promises";
import { trialCredits, type OperationId } from "../../generated/contract.ts";
import { Unreachable } from "../../base/exit.ts";
import type { Exchange } from "../judge/exchange.ts";
import type { Finding, Run } from "../judge/finding.ts";
import { Judging } from "../judge/judge-exchanges.ts";
import { Observing, type Observer } from "../judge/observer.ts";
import type { Rule } from "../judge/rule.ts";
import { seenOf } from "../judge/seen.ts";
import { Blocked, isRed, Unverifiable } from "../judge/verdict.ts";
import { Allowance, type Limits } from "../server/allowance.ts";
import type { AuditLag } from "../books/finality.ts";
import { measuredLag } from "../server/audit-lag.ts";
import { Client } from "../server/client.ts";
import { openClock } from "../server/clock.ts";
import { openMailbox } from "../server/mailbox.ts";
import { whyOff, type Profile } from "../server/profile.ts";
import { scout, type Scouted, type Shown } from "../server/scout.ts";
import { mapConcurrently } from "../server/map-concurrently.ts";
import { AccountLeases } from "../server/account-leases.ts";
import { Secrets } from "../server/secrets.ts";
import { Session } from "../server/session.ts";
import { findTools, listTools } from "../server/tools.ts";
import { leftOut, Waiting } from "../server/waiting.ts";
import type { Check } from "./check.ts";
import { greet } from "./greet.ts";
import { requirePaying } from "./paying.ts";
import { finding, perform, takesDays, type RunContext, type Unwaiting } from "./perform.ts";
import { scriptOf } from "./script/script.ts";

export interface RunOptions {
  checks: readonly Check[];
  rules: readonly Rule[];
  /** Observers of the server's answers to open questions; none by default. */
  observers?: readonly Observer[];
  /** Requests sent after the checks for the observers' sake; they yield no verdict. */
  questions?: readonly Check[];
  /** Maximum number of concurrent checks; by default 16, or up to 32 where the profile gives as many accounts. */
  concurrency?: number | undefined;
  /** Skips the checks that wait for a rate-limit window. */
  fast?: boolean;
  /** How long to wait for a server that does not listen yet, or answers as a gateway before it does. */
  waitForServerSeconds?: number | undefined;
  /** Refuses a profile whose account has no credits, if a check calls a charged tool. */
  mustPay?: boolean;
  /** Ends with the first check that fails. */
  failFast?: boolean;
  /** Looks for the fewest requests that show what a check found. */
  scripts?: boolean;
  /** Judges any server, even one that is plainly not of this API. */
  anyKind?: boolean;
  /** Limit on the total time the run waits for windows, `Retry-After` and late answers; ten minutes by default. */
  waitSeconds?: number;
  /** What the run may send; anything by default. */
  limits?: Limits;
  /** Called with a description of each wait. */
  onWait?: (text: string) => void;
  /** Called with each check's finding, in order of completion. */
  onFinding?: (finding: Finding, done: number, total: number) => void;
}

/**
 * Runs the checks against a server and applies every rule to all recorded traffic.
 * @throws Unreachable when no server of this kind answers; WrongUse when it refuses the profile's key, or, with
 *   mustPay, the account cannot pay
 */
export async function run(given: Profile, options: RunOptions): Promise<Run> {
  const startedAt = Date.now();
  const started = performance.now();
  const secrets = new Secrets();
  secrets.learnFromProfile(given);
  const advance = given.clock && !options.limits?.readOnly ? await openClock(given.clock) : undefined;
  const signal = options.limits?.signal;
  const waiting = new Waiting(options.waitSeconds, options.onWait, { signal, advance, fast: options.fast });
  const toolIds = Object.values(given.tools).map(({ id }) => id);
  const allowance = new Allowance({ ...options.limits, exploring: exploringWithin(options) }, toolIds);
  const ca = given.tls?.ca === undefined ? undefined : await readFile(given.tls.ca, "utf8");
  const off = (operation: OperationId | null): string | undefined => whyOff(given, operation);
  const client = new Client(given.base_url, secrets, waiting, allowance, { ca, off });
  const exchanges: Exchange[] = [];
  const broken = new Map<Exchange, readonly string[]>();
  const whyNot = ({ feature }: Rule): string | undefined => whyOff(given, feature ?? null);
  const judging = new Judging(options.rules.filter((rule) => whyNot(rule) === undefined));
  const observing = new Observing(options.observers ?? []);
  const recognised = new WeakSet<Exchange>();
  const openToTrials = new Set<OperationId>();
  client.listen((exchange, json) => {
    exchanges.push(exchange);
    const seen = seenOf(exchange, undefined, json);
    if (seen === null) return;
    const breaches = judging.hold(seen);
    if (breaches.length > 0)
      broken.set(
        exchange,
        breaches.map(({ rule }) => rule.id),
      );
    observing.look(seen);
    if (seen.recognised) recognised.add(exchange);
    const isOfTrial = secrets.trials.has(exchange.request.headers["authorization"] ?? "");
    if (isOfTrial && seen.status === 200 && seen.operation !== null) openToTrials.add(seen.operation);
  });
  const asksForMail = options.checks.some((check) => check.needs?.includes("mailbox"));
  const mailbox = given.mailbox && asksForMail ? await openMailbox(given, secrets) : null;
  try {
    const versionNote = options.anyKind
      ? null
      : await greet(given, new Session(client, secrets), options.waitForServerSeconds);
    // The accounts share the profile, so tools found later are known to them too.
    const profile = { ...given };
    const leases = new AccountLeases(profile, allowance.mayRegister);
    const { lag, queryPrice, ...shown } = await explore(profile, leases, new Session(client, secrets));
    if (options.mustPay && options.checks.some(({ needs = [] }) => needs.includes("tool.charged")))
      await requirePaying(profile, new Session(client, secrets));
    const { charged } = profile.tools;
    const dearest = Math.max(queryPrice, (charged && allowance.costOf(charged.id)) ?? 0);
    leases.priceFactor = Math.max(1, dearest / 2);
    if (waiting.leftMs === 0 && !options.anyKind) {
      throw new Unreachable(
        `${given.base_url} does not answer in time to be judged: ${waiting.usedUp.message}`,
      );
    }
    if (advance === undefined) delete profile.clock;
    const context: RunContext = {
      ...{ profile, leases, client, secrets, mailbox, recognised, broken, openToTrials },
      lastActs: new Map(),
      isLagDeclared: given.audit_lag !== undefined,
      ...shown,
    };
    const findings = await runPhases(context, options);
    if (findings.some(({ verdict }) => verdict === "fail"))
      await askNowhere(leases, new Session(client, secrets));
    await client.presence.settled();
    findings.push(...judging.findings().map((found) => ({ ...found, sent_by: senderOf(found, findings) })));
    if (options.scripts === true) await addScripts(findings, context, options);
    for (const rule of options.rules) {
      const reason = whyNot(rule);
      if (reason !== undefined) findings.push(finding(rule, { verdict: "not_applicable", reason }));
    }
    return {
      findings,
      exchanges,
      broken,
      choices: observing.choices(given.readings),
      started_at: startedAt,
      duration_ms: Math.round(performance.now() - started),
      version_note: versionNote,
      waited_ms: Math.round(waiting.spentMs),
      ...(lag !== undefined && { audit_lag: lag }),
      sent: allowance.used,
      gone: client.presence.gone,
      interrupted: options.limits?.signal?.aborted ?? false,
    };
  } finally {
    client.close();
    await mailbox?.close();
  }
}

/** Adds to each failure that a check shows the fewest requests that show it. */
async function addScripts(
  findings: readonly Finding[],
  context: RunContext,
  { checks, onWait }: RunOptions,
): Promise<void> {
  for (const finding of findings) {
    const id = finding.sent_by === undefined ? finding.id : finding.sent_by;
    const check = checks.find((check) => check.id === id);
    const sent = findings.find((finding) => finding.id === id);
    if (check === undefined || sent === undefined || !isRed(finding.verdict)) continue;
    onWait?.(`looking for the fewest requests that show ${finding.id}`);
    const script = await scriptOf(finding, check, sent, context);
    if (script !== null) finding.script = script;
  }
}

/** What a run learns before its checks. */
type Explored = Shown & Pick<Scouted, "queryPrice"> & { lag: AuditLag | undefined };

/**
 * Completes the profile with the tools that are found, the delay of the audit and, where only the address is known,
 * what trying the tools shows. What cannot be found stays as it is.
 */
async function explore(profile: Profile, leases: AccountLeases, session: Session): Promise<Explored> {
  const given = { ...profile };
  let lag: AuditLag | undefined;
  const untried = { endings: {}, queryPrice: 0 };
  const hasOwn = given.credentials.account !== undefined || given.credentials.pool.length > 0;
  try {
    // Where Discover is charged, a search for tools may use up the credits of a trial.
    const wish = { fresh: false, credits: trialCredits, owner: false };
    const { account, giveBack } = await leases.lend(session, wish);
    try {
      const contracts = await listTools(account, profile);
      profile.tools = await findTools(account, profile, contracts);
      lag = given.audit_lag === undefined ? await measuredLag(account) : { seconds: given.audit_lag };
      if (lag !== undefined) profile.audit_lag = lag.seconds;
      if (hasOwn || !leases.mayRegister || !session.client.allowance.mayExplore) return { ...untried, lag };
      const { credentials, tools, capabilities, ...shown } = await scout(session, profile, contracts);
      profile.tools = { ...tools, ...given.tools };
      profile.capabilities = { ...capabilities, ...given.capabilities };
      profile.credentials = { ...credentials, ...given.credentials };
      return { ...shown, lag };
    } finally {
      giveBack();
    }
  } catch (error) {
    if (!(error instanceof Blocked || error instanceof Unverifiable)) throw error;
    return { ...untried, lag };
  }
}

/** Asks for a path that no server has: absent operations get the same answer. */
async function askNowhere(leases: AccountLeases, session: Session): Promise<void> {
  try {
    const { account, giveBack } = await leases.lend(session, { fresh: false, credits: 0, owner: false });
    try {
      for (const method of ["GET", "POST"])
        await account.raw(method, "/no-such-operation", method === "POST" ? { body: {} } : {});
    } finally {
      giveBack();
    }
  } catch (error) {
    if (!(error instanceof Blocked || error instanceof Unverifiable)) throw error;
  }
}

/** Setting the clock concerns all accounts, so the checks that need it come last, one after another. */
async function runPhases(context: RunContext, options: RunOptions): Promise<Finding[]> {
  const { checks, questions = [], onFinding } = options;
  const findings: Finding[] = [];
  const perform = (some: readonly Check[], changes: Partial<RunOptions> = {}): Promise<Finding[]> =>
    runChecks(context, { ...options, checks: some, ...changes });
  const judge = async (some: readonly Check[], concurrency?: number): Promise<void> => {
    const before = findings.length;
    const report: RunOptions["onFinding"] = (finding, done) =>
      onFinding?.(finding, before + done, checks.length);
    findings.push(
      ...(await perform(some, { onFinding: report, ...(concurrency !== undefined && { concurrency }) })),
    );
  };
  await judge(checks.filter((check) => !takesDays(check)));
  await perform(questions, { onFinding: () => undefined });
  await judge(checks.filter(takesDays), 1);
  const order = new Map(checks.map((check, index) => [check.id, index]));
  return findings.sort((one, other) => order.get(one.id)! - order.get(other.id)!);
}

/** Each concurrent check has an account, and a server may not let one client register many. */
const usualConcurrency = ({ given }: AccountLeases): number => Math.min(32, Math.max(16, given));

async function runChecks(
  context: RunContext,
  {
    checks,
    concurrency = usualConcurrency(context.leases),
    fast = false,
    failFast = false,
    limits,
    onFinding,
  }: RunOptions,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const { presence, waiting } = context.client;
  const { sleepers } = waiting;
  // Long checks start first and overlap with the others; then those that need an unused account. Where the clock can be
  // set ahead, those that wait come last, since it leaps only once all checks under way wait.
  // A fast run leaves out what would wait for a quota; with few accounts, it begins with the checks that leave their
  // windows to others.
  const leaves = fast && sleepers === null;
  const sparing = leaves && !context.leases.mayRegister;
  const urgency = ({ window = false, long = false, fresh = false }: Check): number =>
    sparing
      ? -Number(long) - 2 * Number(fresh)
      : (window && sleepers !== null ? -4 : 2 * Number(window || long)) + Number(fresh);
  const queue =
    limits?.maxRequests === undefined && !failFast
      ? [...checks].sort((one, other) => urgency(other) - urgency(one))
      : areasInTurn(checks);
  let pairs: Promise<unknown> = Promise.resolve();
  const report = (result: Finding): void => {
    findings.push(result);
    onFinding?.(result, findings.length, checks.length);
  };
  /** Checks that ended because a quota was used up, with its operation. */
  const postponed = new Map<Check, OperationId>();
  const judge = async (check: Check, unwaiting?: Unwaiting): Promise<void> => {
    if (presence.gone !== null || (failFast && findings.some(({ verdict }) => verdict === "fail"))) return;
    const judged = (): Promise<Finding> =>
      leaves && check.window ? Promise.resolve(leavesOut(check)) : perform(check, context, unwaiting);
    let result: Finding;
    if (check.needs?.includes("other_account") && !context.leases.plenty) {
      // Two checks that each hold one account and wait for a second would deadlock.
      const turn = pairs.then(judged, judged);
      pairs = turn;
      result = await turn;
    } else {
      result = await judged();
    }
    if (!postponed.has(check)) report(result);
  };
  const ending = (check: Check, quota?: OperationId): Unwaiting => ({
    quota,
    onUsedUp: (operation) => postponed.set(check, operation),
  });
  await mapConcurrently(queue, concurrency, (check) => judge(check, leaves ? ending(check) : undefined));
  // Another account may have a quota that one has used up, and two may be free now. If many checks have none, a minute
  // of waiting is worth it.
  for (const [check, quota] of [...postponed]) {
    postponed.delete(check);
    await judge(check, ending(check, quota));
  }
  const left = [...postponed.keys()];
  postponed.clear();
  if (left.length > checks.length / 10) await mapConcurrently(left, concurrency, (check) => judge(check));
  else for (const check of left) report(leavesOut(check));
  return findings;
}

const leavesOut = (check: Check): Finding =>
  finding(check, { verdict: "unverified", reason: leftOut().message });

/** The part of a limit on requests that exploring may use: what the checks leave, or else a quarter. */
const exploringWithin = ({ limits, checks }: RunOptions): number | undefined =>
  limits?.maxRequests && Math.max(limits.maxRequests / 4, limits.maxRequests - 4 * checks.length);

/** For a limit on requests, or to fail soon: the areas take turns, and checks with many requests come last. */
function areasInTurn(checks: readonly Check[]): Check[] {
  const byArea = Map.groupBy(checks, ({ id }) => id.split("-")[0]);
  const turn = new Map([...byArea.values()].flatMap((area) => area.map((check, index) => [check, index])));
  const isCostly = ({ window, long, fresh }: Check): boolean => Boolean(window || long || fresh);
  const place = (check: Check): number => turn.get(check)! + (isCostly(check) ? checks.length : 0);
  return [...checks].sort((one, other) => place(one) - place(other));
}

/**
 * The check that sent an exchange at fault. Of several it is the one that sent least, and rather one that had called a tool by
 * then: it made the row that is wrong.
 */
function senderOf({ exchanges: breaking }: Finding, ofChecks: readonly Finding[]): string | null {
  const faults = new Set(breaking);
  const costs = ofChecks.flatMap(({ id, exchanges }) => {
    const index = exchanges.findIndex((exchange) => faults.has(exchange));
    if (index < 0) return [];
    const hasCalled = exchanges.slice(0, index).some(({ operation }) => operation === "call");
    return [{ id, cost: index + (hasCalled ? 0 : 1_000) }];
  });
  return costs.toSorted((one, other) => one.cost - other.cost)[0]?.id ?? null;
}
