import { randomBytes } from "node:crypto";
import { limitedOperations, trialCredits } from "../../generated/contract.ts";
import type { Check, Need, Stage } from "./check.ts";
import { expectFor } from "../judge/expect.ts";
import type { Exchange } from "../judge/exchange.ts";
import { Observing, type Observer } from "../judge/observer.ts";
import type { Rule } from "../judge/rule.ts";
import { seenOf } from "../judge/seen.ts";
import { type Account, Stranger } from "../subject/account.ts";
import { Allowance, type Limits } from "../subject/allowance.ts";
import { measuredLag } from "../subject/audit-lag.ts";
import { Client } from "../subject/client.ts";
import { openMailbox, type Mailbox } from "../subject/mailbox.ts";
import type { Profile, Role, Use } from "../subject/profile.ts";
import { Seats } from "../subject/seats.ts";
import { Secrets } from "../subject/secrets.ts";
import { Session } from "../subject/session.ts";
import { Unreachable } from "../../cli/exit.ts";
import { Waiting } from "../subject/waiting.ts";
import { openClock } from "../subject/clock.ts";
import { findTools, listTools } from "../subject/tools.ts";
import { endedOtherwise, type Endings } from "../subject/endings.ts";
import { scout } from "../subject/scout.ts";
import { Blocked, Unmet, Unverifiable, type Verdict } from "../judge/verdict.ts";
import type { Finding, Run } from "../judge/finding.ts";
import { Judging } from "../judge/judge-exchanges.ts";
import { levelOf } from "../judge/level.ts";
import { greet } from "./greet.ts";

export interface RunOptions {
  checks: readonly Check[];
  rules: readonly Rule[];
  /** Observers of the server's answers to open questions; none by default. */
  observers?: readonly Observer[];
  /** Requests sent after the checks for the observers' sake; they yield no verdict. */
  questions?: readonly Check[];
  /** Maximum number of concurrent checks; 16 by default. */
  concurrency?: number;
  /** Skips the checks that wait for a rate-limit window. */
  fast?: boolean;
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
 * @throws Unreachable when no server of this kind answers; WrongUse when it refuses the profile's key
 */
export async function run(given: Profile, options: RunOptions): Promise<Run> {
  const startedAt = Date.now();
  const started = performance.now();
  const secrets = new Secrets();
  secrets.learnFromProfile(given);
  const advance = given.clock && !options.limits?.readOnly ? await openClock(given.clock) : undefined;
  const signal = options.limits?.signal;
  const waiting = new Waiting(options.waitSeconds, options.onWait, { signal, advance });
  const toolIds = Object.values(given.tools).flatMap((tool) => tool?.id ?? []);
  const allowance = new Allowance(options.limits, toolIds);
  const client = new Client(given.base_url, secrets, waiting, allowance);
  const exchanges: Exchange[] = [];
  const judging = new Judging(options.rules);
  const observing = new Observing(options.observers ?? []);
  const recognised = new WeakSet<Exchange>();
  client.listen((exchange) => {
    exchanges.push(exchange);
    const seen = seenOf(exchange);
    if (seen === null) return;
    judging.hold(seen);
    observing.look(seen);
    if (seen.recognised) recognised.add(exchange);
  });
  const asksForMail = options.checks.some((check) => check.needs?.includes("mailbox"));
  const mailbox = given.mailbox && asksForMail ? await openMailbox(given, secrets) : null;
  try {
    const versionNote = options.anyKind ? null : await greet(given, new Session(client, secrets));
    // The accounts share the profile, so tools found later are known to them too.
    const profile = { ...given };
    const seats = new Seats(profile, allowance.mayRegister);
    const endings = await explore(profile, seats, new Session(client, secrets));
    const { charged } = profile.tools;
    seats.priceFactor = Math.max(1, ((charged && allowance.costOf(charged.id)) ?? 0) / 2);
    if (waiting.leftMs === 0 && !options.anyKind) {
      throw new Unreachable(
        `${given.base_url} does not answer in time to be judged: ${waiting.usedUp.message}`,
      );
    }
    if (advance === undefined) delete profile.clock;
    const ground = { profile, seats, client, secrets, mailbox, recognised, endings };
    const findings = await runPhases(ground, options);
    findings.push(...judging.findings().map((found) => ({ ...found, sent_by: senderOf(found, findings) })));
    return {
      findings,
      exchanges,
      choices: observing.choices(given.readings),
      started_at: startedAt,
      duration_ms: Math.round(performance.now() - started),
      version_note: versionNote,
      waited_ms: Math.round(waiting.spentMs),
      sent: allowance.used,
      interrupted: options.limits?.signal?.aborted ?? false,
    };
  } finally {
    client.close();
    await mailbox?.close();
  }
}

/** What the checks of one run share: how to reach the server, never what they observed. */
interface Ground {
  profile: Profile;
  seats: Seats;
  client: Client;
  secrets: Secrets;
  mailbox: Mailbox | null;
  /** The exchanges whose answers recognisably come from this API. */
  recognised: WeakSet<Exchange>;
  /** How tools ended that have their roles from it. */
  endings: Endings;
}

/**
 * Completes the profile: with the tools that are found, the delay of the audit and, where only the address is known, what
 * trying shows. What cannot be found stays as it is.
 */
async function explore(profile: Profile, seats: Seats, session: Session): Promise<Endings> {
  const given = { ...profile };
  const hasOwn = given.credentials.account !== undefined || given.credentials.pool.length > 0;
  try {
    // Where Discover is charged, a search for tools may take all that a trial owns.
    const wish = { fresh: false, credits: trialCredits, owner: false };
    const { account, giveBack } = await seats.lend(session, wish);
    try {
      const contracts = await listTools(account, profile);
      profile.tools = await findTools(account, profile, contracts);
      profile.audit_lag ??= await measuredLag(account);
      if (hasOwn || !seats.mayRegister) return {};
      const { endings, credentials, tools, capabilities } = await scout(session, profile, contracts);
      profile.tools = { ...tools, ...given.tools };
      profile.capabilities = { ...capabilities, ...given.capabilities };
      profile.credentials = { ...credentials, ...given.credentials };
      return endings;
    } finally {
      giveBack();
    }
  } catch (error) {
    if (!(error instanceof Blocked || error instanceof Unverifiable)) throw error;
    return {};
  }
}

/** Days go by for all accounts, so the checks that need the clock come last, one after another. */
async function runPhases(ground: Ground, options: RunOptions): Promise<Finding[]> {
  const { checks, questions = [], onFinding } = options;
  const findings: Finding[] = [];
  const perform = (some: readonly Check[], changes: Partial<RunOptions> = {}): Promise<Finding[]> =>
    runChecks(ground, { ...options, checks: some, ...changes });
  const judge = async (some: readonly Check[], concurrency?: number): Promise<void> => {
    const before = findings.length;
    const tell: RunOptions["onFinding"] = (found, done) => onFinding?.(found, before + done, checks.length);
    findings.push(
      ...(await perform(some, { onFinding: tell, ...(concurrency !== undefined && { concurrency }) })),
    );
  };
  await judge(checks.filter((check) => !takesDays(check)));
  await perform(questions, { onFinding: () => undefined });
  await judge(checks.filter(takesDays), 1);
  const order = new Map(checks.map((check, index) => [check.id, index]));
  return findings.sort((one, other) => order.get(one.id)! - order.get(other.id)!);
}

const takesDays = ({ needs }: Check): boolean => needs?.includes("time") ?? false;

async function runChecks(
  ground: Ground,
  { checks, concurrency = 16, fast = false, onFinding }: RunOptions,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const { sleepers } = ground.client.waiting;
  // Start long checks first, so that the others run beside them; then those that need an unused account. Where the clock
  // can be set ahead, those that wait come last, since it leaps only once all checks under way wait.
  const urgency = ({ window = false, long = false, fresh = false }: Check): number =>
    (window && sleepers !== null ? -4 : 2 * Number(window || long)) + Number(fresh);
  const queue = [...checks].sort((one, other) => urgency(other) - urgency(one));
  const workers = Math.min(concurrency, queue.length);
  let pairs: Promise<unknown> = Promise.resolve();
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const check = next;
      const judged = (): Promise<Finding> =>
        fast && check.window && sleepers === null
          ? Promise.resolve(finding(check, { verdict: "unverified", reason: "left out by --fast" }))
          : perform(check, ground);
      let result: Finding;
      if (check.needs?.includes("other_account") && !ground.seats.mayRegister) {
        // Two checks that each hold one account and wait for a second would deadlock.
        const turn = pairs.then(judged, judged);
        pairs = turn;
        result = await turn;
      } else {
        result = await judged();
      }
      findings.push(result);
      onFinding?.(result, findings.length, checks.length);
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  return findings;
}

/** The check that sent the exchange at fault. */
const senderOf = ({ exchanges: [breaking] }: Finding, ofChecks: readonly Finding[]): string | null =>
  ofChecks.find(({ exchanges }) => breaking !== undefined && exchanges.includes(breaking))?.id ?? null;

async function perform(check: Check, ground: Ground): Promise<Finding> {
  const { profile, seats, mailbox } = ground;
  const { client } = ground;
  const session = new Session(client, ground.secrets, { together: client.together });
  const off = check.feature === undefined ? undefined : profile.features[check.feature];
  if (off !== undefined) return finding(check, { verdict: "not_applicable", reason: off });
  const missing = check.needs?.map((need) => lacks(need, profile, seats)).find((lack) => lack !== null);
  if (missing) return finding(check, { verdict: "unverified", ...missing });
  if (client.waiting.leftMs === 0) {
    return finding(check, { verdict: "unverified", reason: client.waiting.usedUp.message });
  }

  const started = performance.now();
  const lent: (() => void)[] = [];
  const roles: Role[] = [];
  const ended = client.waiting.sleepers?.begin(session);
  const base = { clauses: check.clauses, exchanges: session.exchanges };
  try {
    const wish = { fresh: check.fresh ?? false, credits: check.credits ?? 5, owner: false };
    const lend = async (owner: boolean) => {
      const { account, giveBack } = await seats.lend(session, { ...wish, owner });
      lent.push(giveBack);
      return account;
    };
    const use = (table: Record<string, Use | undefined>, name: string): Required<Use> => {
      const given = table[name];
      if (given === undefined)
        throw new TypeError(`the check uses ${name} and does not say that it needs it`);
      return { parameters: {}, ...given };
    };
    const stranger = new Stranger(session, profile);
    // A check of what needs no account is judged where none is to be had.
    const account = await lend(check.needs?.includes("second_key") ?? false).catch((error: unknown) => {
      if (error instanceof Blocked || error instanceof Unverifiable) return error;
      throw error;
    });
    const stage: Stage = {
      get account(): Account {
        if (account instanceof Error) throw account;
        return account;
      },
      other: () => lend(false),
      everyKind: () => stranger.withKey(profile.credentials.every_kind!),
      stranger,
      tool: (role) => {
        roles.push(role);
        return use(profile.tools, role);
      },
      capability: (name) => use(profile.capabilities, name),
      get mailbox(): Mailbox {
        if (mailbox !== null && check.needs?.includes("mailbox")) return mailbox;
        throw new TypeError("the check uses the mailbox and does not say that it needs it");
      },
      expect: expectFor(session),
      profile,
      unique: (prefix) => `${prefix}-${randomBytes(8).toString("hex")}`,
    };
    await check.run(stage);
    if (session.expectations === 0) throw new TypeError("the check expected nothing");
    if (!session.exchanges.some((exchange) => ground.recognised.has(exchange))) {
      throw new Blocked("nothing that the server answered is of this API", session.last);
    }
    return finding(check, { ...base, verdict: "pass" }, started);
  } catch (error) {
    const other = endedOtherwise(roles, ground.endings, profile.tools, session.exchanges);
    const cause =
      other !== undefined && (error instanceof Unmet || error instanceof Blocked)
        ? new Unverifiable(
            `the tool of the role ${other} ends otherwise than when it was tried`,
            `tools: {${other}: TOOL_ID}`,
          )
        : error;
    return finding(check, { ...base, ...verdictOf(cause, check, session) }, started);
  } finally {
    for (const giveBack of lent) giveBack();
    session.end();
    ended?.();
    // Days have gone by.
    if (takesDays(check)) seats.forgetTrials();
  }
}

/** Whether an unstated limit refused a request: "Rate limits of operations other than the four listed: not shown." */
const isOpenLimit = (exchange: Exchange | undefined): boolean =>
  exchange?.response?.status === 429 &&
  !limitedOperations.some((operation) => operation === exchange.operation);

function verdictOf(error: unknown, check: Check, session: Session): Partial<Finding> & { verdict: Verdict } {
  const at = (exchange: Exchange | undefined): number | null => {
    const index = exchange === undefined ? -1 : session.exchanges.indexOf(exchange);
    return index < 0 ? null : index;
  };
  if (error instanceof Unmet) {
    return {
      verdict: levelOf(check.clauses) === "must" ? "fail" : "warn",
      reason: `expected ${session.secrets.mask(error.expected)}`,
      expected: session.secrets.mask(error.expected),
      received: session.secrets.mask(error.received),
      culprit: at(error.exchange),
    };
  }
  if (error instanceof Blocked && isOpenLimit(error.exchange)) {
    return { verdict: "unverified", reason: "a limit that other requests have used up is in the way" };
  }
  if (error instanceof Blocked) {
    return { verdict: "blocked", reason: session.secrets.mask(error.message), culprit: at(error.exchange) };
  }
  if (error instanceof Unverifiable) {
    return { verdict: "unverified", reason: error.message, remedy: error.remedy ?? null };
  }
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { verdict: "error", reason: session.secrets.mask(reason) };
}

function finding(
  check: Check,
  found: Partial<Finding> & { verdict: Verdict },
  started = performance.now(),
): Finding {
  return {
    id: check.id,
    clauses: check.clauses,
    level: levelOf(check.clauses),
    title: check.title,
    reason: null,
    expected: null,
    received: null,
    remedy: null,
    duration_ms: Math.round(performance.now() - started),
    exchanges: [],
    culprit: null,
    ...found,
  };
}

/** The part of a need that is missing, with the profile line that supplies it; null when the need is met. */
function lacks(need: Need, profile: Profile, seats: Seats): { reason: string; remedy: string } | null {
  const { credentials, emails } = profile;
  const missing = (there: unknown, what: string, remedy: string) =>
    there === undefined ? { reason: `${what} is not given`, remedy } : null;
  if (need.startsWith("tool.")) {
    const role = need.slice("tool.".length) as keyof Profile["tools"];
    return missing(profile.tools[role], `a tool of the role ${role}`, `tools: {${role}: TOOL_ID}`);
  }
  if (need.startsWith("capability.")) {
    const name = need.slice("capability.".length) as keyof Profile["capabilities"];
    return missing(
      profile.capabilities[name],
      `a capability (${name})`,
      `capabilities: {${name}: CAPABILITY_ID}`,
    );
  }
  switch (need) {
    case "other_account":
      return seats.several
        ? null
        : { reason: "a second account is not given", remedy: "credentials: {other_account: KEY}" };
    case "second_key":
      return missing(
        credentials.account && credentials.second_key_of_account,
        "a second key of the account",
        "credentials: {account: KEY, second_key_of_account: KEY}",
      );
    case "mailbox":
      return missing(profile.mailbox, "a mailbox", "mailbox: {smtp_listen: HOST:PORT}");
    case "formal_email":
      return missing(emails.formal, "the e-mail of a formal account", "emails: {formal: ADDRESS}");
    case "blocked_domain":
      return missing(emails.blocked_domain, "a blocked e-mail domain", "emails: {blocked_domain: DOMAIN}");
    case "time":
      return missing(profile.clock, "a clock to set ahead", "clock: {url: ADDRESS}");
    case "object_storage":
      // Only a download shows whether its certificate is a public one.
      return null;
    default:
      return missing(
        credentials[need as keyof Profile["credentials"]],
        `a credential (${need})`,
        need === "delegation"
          ? "credentials: {delegation: {token: TOKEN, run_id: ID, provider_id: ID}}"
          : `credentials: {${need}: KEY}`,
      );
  }
}
