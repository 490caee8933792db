import { namesIn, type Fact } from "../judge/fact.ts";
import { randomBytes } from "node:crypto";
import { member } from "../../base/data.ts";
import { limitedOperations, type OperationId } from "../../generated/contract.ts";
import { Finality, usualLagSeconds, type LastActs } from "../books/finality.ts";
import { expectFor } from "../judge/expect.ts";
import { jsonOf, type Exchange } from "../judge/exchange.ts";
import { missed, type Finding } from "../judge/finding.ts";
import { levelOf } from "../judge/level.ts";
import type { Rule } from "../judge/rule.ts";
import { Blocked, isRed, NotThere, Unmet, Unverifiable, type Verdict } from "../judge/verdict.ts";
import { type Account, Stranger } from "../server/account.ts";
import type { Client } from "../server/client.ts";
import { endedOtherwise } from "../server/endings.ts";
import type { Mailbox } from "../server/mailbox.ts";
import { whyOff, type Profile, type Role, type Use } from "../server/profile.ts";
import { isOfAudit, type Shown } from "../server/scout.ts";
import type { AccountLeases } from "../server/account-leases.ts";
import type { Secrets } from "../server/secrets.ts";
import { Session } from "../server/session.ts";
import { UsedUp } from "../server/waiting.ts";
import type { Check, Need, Stage } from "./check.ts";
import { lacks, operationOf } from "./needs.ts";

/** What the checks of one run share: how to reach the server, never what they observed. */
export interface RunContext extends Shown {
  profile: Profile;
  leases: AccountLeases;
  client: Client;
  secrets: Secrets;
  mailbox: Mailbox | null;
  /** The exchanges whose answers recognisably come from this API. */
  recognised: WeakSet<Exchange>;
  /** The rules that an exchange breaks, by id. */
  broken: ReadonlyMap<Exchange, readonly string[]>;
  /** The operations that a trial was allowed to use. */
  openToTrials: Set<OperationId>;
  /** When each account last did something that its books may show. */
  lastActs: LastActs;
  /** Whether the profile says how late the books may be. */
  isLagDeclared: boolean;
}

/** Whether days pass for all accounts during a check. */
export const takesDays = ({ needs }: Check): boolean => needs?.includes("time") ?? false;

/** How a check is performed that does not wait for a used-up quota. */
export interface Unwaiting {
  /** The operation with the quota for which it ended before. */
  quota?: OperationId | undefined;
  /** Called with the operation for which it ends. */
  onUsedUp: (operation: OperationId) => void;
}

/**
 * Performs one check and returns its finding; never rejects. It is performed again where a provider failed, as any may
 * once, and where a failure rests on reads that were not final: then with reads that are.
 */
export async function perform(check: Check, context: RunContext, unwaiting?: Unwaiting): Promise<Finding> {
  const unjudged = whyUnjudged(check, context);
  if (unjudged !== null) return finding(check, unjudged);
  const treatment = treatmentIn(context);
  let finality = new Finality(treatment);
  let result = await performOnce(check, context, finality, unwaiting);
  if (restsOnProvider(result))
    result = await performOnce(check, context, (finality = new Finality(treatment)), unwaiting);
  if (!isRed(result.verdict) || !finality.restsOnYoungReads) return result;
  const { fact, exchanges, culprit } = result;
  // Another Call may leave what this one did not.
  if (fact && finality.isMissing(fact.received, exchanges[culprit ?? -1])) return result;
  return performOnce(check, context, new Finality({ ...treatment, isPatient: true }), unwaiting);
}

/** Performs one check once, with reads that are final. */
export const performPatiently = (check: Check, context: RunContext): Promise<Finding> =>
  performOnce(check, context, new Finality({ ...treatmentIn(context), isPatient: true }));

const treatmentIn = ({ profile, isLagDeclared, lastActs }: RunContext) => ({
  lagMs: (): number => 1000 * (profile.audit_lag ?? usualLagSeconds),
  isDeclared: isLagDeclared,
  acts: lastActs,
});

/** The statuses that tell of a provider which failed or did not answer in time. */
const ofProviders: readonly (number | undefined)[] = [408, 502, 503, 504];

/** Whether a failure rests on a tool that was executed in vain and charged nothing, which no clause forbids. */
function restsOnProvider({ verdict, exchanges, culprit }: Finding): boolean {
  const exchange = culprit === null ? undefined : exchanges[culprit];
  if (!isRed(verdict) || exchange === undefined) return false;
  if (exchange.operation !== "call" && exchange.operation !== "queryCapability") return false;
  if (ofProviders.includes(exchange.response?.status)) return true;
  const answer = jsonOf(exchange);
  return member(answer, "success") === false && (member(answer, "cost") ?? 0) === 0;
}

async function performOnce(
  check: Check,
  context: RunContext,
  finality: Finality,
  unwaiting?: Unwaiting,
): Promise<Finding> {
  const { leases, client, secrets, recognised } = context;
  const session = new Session(client, secrets, {
    together: client.together,
    leaves: unwaiting !== undefined,
    finality,
  });
  const started = performance.now();
  const used: Used = { giveBacks: [], roles: [] };
  const ended = client.waiting.sleepers?.begin(session);
  const base = { clauses: check.clauses, exchanges: session.exchanges };
  try {
    await check.run(await stageOf(check, context, session, used, unwaiting?.quota));
    if (session.expectations === 0) {
      const wrong = session.exchanges.find((exchange) => context.broken.has(exchange));
      if (wrong === undefined)
        throw new Unverifiable(
          "the answers held nothing to compare: rows that were there may be missing again",
        );
      throw new Blocked("the answer is broken, which leaves nothing to judge", wrong);
    }
    if (!session.exchanges.some((exchange) => recognised.has(exchange))) {
      throw new Blocked("no answer of the server is of this API", session.last);
    }
    return finding(check, { ...base, verdict: "pass" }, started);
  } catch (error) {
    if (error instanceof UsedUp) unwaiting?.onUsedUp(error.operation);
    const cause = causeOf(error, context, session, used.roles);
    return finding(check, { ...base, ...verdictOf(cause, check, session) }, started);
  } finally {
    await session.end();
    for (const giveBack of used.giveBacks) giveBack();
    ended?.();
    if (takesDays(check)) leases.forgetTrials();
  }
}

type Found = Partial<Finding> & { verdict: Verdict };

/** The needs that a run can find by itself once it has an account. */
const findable = /^tool\.|^capability\.(?:query|detail|legacy)$|^(?:every_kind|exhausted|other_account)$/;

/** Why a check cannot be performed; null when it can. */
function whyUnjudged(
  { feature, needs }: Check,
  { profile, leases, client, unread }: RunContext,
): Found | null {
  const off = [feature ?? null, ...(needs ?? []).map(operationOf)]
    .map((used) => whyOff(profile, used))
    .find((reason) => reason !== undefined);
  if (off !== undefined) return { verdict: "not_applicable", reason: off };
  const need = needs?.find((need) => lacks(need, profile, leases) !== null);
  const refused = leases.given === 0 ? leases.refused : undefined;
  if (need && findable.test(need) && refused?.exchange && !isOpenLimit(refused.exchange))
    return { verdict: "blocked", reason: refused.message, exchanges: [refused.exchange], culprit: 0 };
  if (need && isOfAudit(need) && unread?.exchange)
    return { verdict: "blocked", reason: unread.message, exchanges: [unread.exchange], culprit: 0 };
  if (need !== undefined) return { verdict: "unverified", ...lacks(need, profile, leases) };
  if (client.waiting.leftMs === 0) return { verdict: "unverified", reason: client.waiting.usedUp.message };
  return null;
}

/** What a check has used: accounts to give back, and roles of tools. */
interface Used {
  giveBacks: (() => void)[];
  roles: Role[];
}

/** Whether a credential is of the profile's first account, which no other check may measure at the same time. */
const isOfOwner = (need: Need): boolean => need === "second_key" || need === "delegation";

async function stageOf(
  check: Check,
  context: RunContext,
  session: Session,
  used: Used,
  quota?: OperationId,
): Promise<Stage> {
  const { profile, leases, mailbox } = context;
  const isLimited = profile.features.rate_limits === undefined;
  const wish = { fresh: isLimited && (check.fresh ?? false), credits: check.credits ?? 5, quota };
  const lend = async (owner: boolean): Promise<Account> => {
    const { account, giveBack } = await leases.lend(session, { ...wish, owner });
    if (session.isOver) giveBack();
    else used.giveBacks.push(giveBack);
    return account;
  };
  const use = (table: Record<string, Use | undefined>, name: string): Required<Use> => {
    const given = table[name];
    if (given === undefined) throw new TypeError(`the check uses ${name} and does not say that it needs it`);
    return { parameters: {}, ...given };
  };
  const stranger = new Stranger(session, profile);
  // A check that needs no account is judged even where none is available.
  const isOwners = profile.credentials.account !== undefined && (check.needs?.some(isOfOwner) ?? false);
  const account = await lend(isOwners).catch((error: unknown) => {
    if (error instanceof Blocked || error instanceof Unverifiable) return error;
    throw error;
  });
  return {
    get account(): Account {
      if (account instanceof Error) throw account;
      return account;
    },
    other: () => lend(false),
    everyKind: () => stranger.withKey(profile.credentials.every_kind!),
    stranger,
    tool: (role) => {
      used.roles.push(role);
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
}

/** What the contract promises to trials; whether they may do more is open. */
const promisedToTrials: readonly OperationId[] = ["discover", "inspect", "call"];

/** Whether a trial was refused an operation that is not promised to trials and that no trial of this run could use. */
const isLimitOfTrials = (exchange: Exchange | undefined, { secrets, openToTrials }: RunContext): boolean =>
  exchange?.response?.status === 403 &&
  exchange.operation !== null &&
  !promisedToTrials.includes(exchange.operation) &&
  !openToTrials.has(exchange.operation) &&
  secrets.trials.has(exchange.request.headers["authorization"] ?? "");

/** What ended a check; if the server never promised what it lacks, the reason why it cannot be judged. */
function causeOf(error: unknown, context: RunContext, session: Session, roles: readonly Role[]): unknown {
  if (!(error instanceof Unmet || error instanceof Blocked)) return error;
  const { profile, endings } = context;
  if (isLimitOfTrials(error.exchange, context)) {
    const isGiven = profile.credentials.account !== undefined;
    return new Unverifiable(
      "a trial may do no more here than Discover, Inspect and Call",
      isGiven ? "credentials: {pool: [KEY]}" : "credentials: {account: KEY}",
    );
  }
  const other = endedOtherwise(roles, endings, profile.tools, session.exchanges);
  if (other === undefined) return error;
  return new Unverifiable(
    `the tool of the role ${other} ends otherwise than when it was tried`,
    `tools: {${other}: TOOL_ID}`,
  );
}

/** Whether an unstated limit refused a request: "Rate limits of operations other than the four listed: not shown." */
const isOpenLimit = (exchange: Exchange | undefined): boolean =>
  exchange?.response?.status === 429 &&
  !limitedOperations.some((operation) => operation === exchange.operation);

function verdictOf(error: unknown, check: Check, session: Session): Found {
  const at = (exchange: Exchange | undefined): number | null => {
    const index = exchange === undefined ? -1 : session.exchanges.indexOf(exchange);
    return index < 0 ? null : index;
  };
  if (error instanceof Unmet) {
    const fact = JSON.parse(session.secrets.mask(JSON.stringify(error.fact))) as Fact;
    const note = session.finality.remedyFor(fact.received);
    const unmet = missed(note === undefined ? fact : { ...fact, note });
    return {
      verdict: levelOf(check.clauses) === "must" ? "fail" : "warn",
      reason: `expected ${unmet.expected}`,
      ...unmet,
      culprit: at(error.exchange),
    };
  }
  if (error instanceof NotThere) return { verdict: "not_applicable", reason: error.message };
  if (error instanceof Blocked && isOpenLimit(error.exchange)) {
    return { verdict: "unverified", reason: "a limit that other requests have used up is in the way" };
  }
  if (error instanceof Blocked) {
    const reason = session.secrets.mask(error.message);
    return { verdict: "blocked", reason, culprit: at(error.exchange), needed: namesIn(reason) };
  }
  if (error instanceof Unverifiable) {
    return { verdict: "unverified", reason: error.message, remedy: error.remedy ?? null };
  }
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { verdict: "error", reason: session.secrets.mask(reason) };
}

/** The finding of a check or a rule; members that are not given are left empty. */
export function finding(check: Check | Rule, result: Found, started = performance.now()): Finding {
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
    ...("judge" in check && { rule: { field: check.field ?? null } }),
    ...result,
  };
}
