import { limitedOperations, type LimitedOperation } from "../../generated/contract.ts";
import { usable } from "../../conformance/server/account.ts";
import { until } from "../../conformance/server/session.ts";
import { condition } from "../../conformance/judge/fact.ts";
import { Blocked, NotThere, Unverifiable } from "../../conformance/judge/verdict.ts";
import { statusesOfAbsence } from "../../conformance/report/refused.ts";
import type { RateLimitFacts } from "../../conformance/limits/facts.ts";
import { askInTurn, askLimit, type Asking } from "../../conformance/limits/course.ts";
import { judgeLimits, type JudgedLimits } from "../../conformance/limits/judge.ts";
import { observationOf, offsetOf, type Observation } from "../../conformance/limits/observation.ts";
import { isAdmitted, isRefused } from "../../conformance/limits/times.ts";
import type { Wanted } from "../expected.ts";
import type { Question, Wanting } from "../../base/judged.ts";
import type { Outcome } from "../outcome.ts";
import { because, inProfile, question } from "../questions.ts";
import type { Reply } from "../recorder.ts";
import { freePlan, type Planned } from "../planned.ts";
import type { LoadRun } from "../run.ts";
import type { AccountLease } from "../account-leases.ts";
import { anonymousWindow } from "./anonymous-window.ts";
import { openSending, type Sending } from "../sending.ts";
import { isSpelling, variationsOf } from "./variations.ts";

/** The options of the scenario for the selected operations. */
export interface RateLimits {
  operations: readonly LimitedOperation[];
  /** Further addresses of the server, which share its counts. */
  also: readonly string[];
}

/**
 * Uses up the quota of each operation with one account, checks what it counts by and whether another account is still
 * served, and returns when the server says so. The answers are judged together afterwards, also those of a run that
 * could not be finished.
 */
export async function rateLimits(run: LoadRun, { operations, also }: RateLimits): Promise<Outcome> {
  const { profile, leases, session, clock, judgement } = run;
  const [first, second] = leases;
  const observations: Observation[] = [];
  const servers = new Map(
    [...new Set([...(profile.also ?? []), ...also])].map(
      (url) => [`server (${url})`, openSending(url, clock, run.signal, run.ca)] as const,
    ),
  );
  const watch = (
    { exchange, request, sentAt, answeredAt }: Pick<Reply, "exchange" | "request" | "sentAt" | "answeredAt">,
    varied: string | null = null,
  ): Observation | null => {
    const { operation, sender } = request;
    if (!isLimited(operation)) return null;
    const seen = observationOf(exchange, { account: sender.account, operation, varied, sentAt, answeredAt });
    if (seen === null) return null;
    // A spelling that is not served may have been counted, and is neither admitted nor refused.
    const isServed = varied === null || !isSpelling(varied) || seen.status === 429 || seen.status < 300;
    const observed: Observation = isServed ? seen : { ...seen, outcome: "unclear" };
    observations.push(observed);
    return observed;
  };
  // Requests outside the flows, such as those for the credits, count in the windows too.
  const stop = session.client.listen((exchange) => {
    const { account, operation } = exchange;
    const lease = leases.find((lease) => lease.account.label === account);
    if (operation === null || lease === undefined) return;
    const planned = { ...freePlan("discover", lease.senders[0]!, profile), operation };
    const answeredAt = clock.now();
    watch({ exchange, request: planned, sentAt: answeredAt - exchange.duration_ms, answeredAt });
  });
  try {
    const traces = operations.includes("call") ? await tracesOrNone(first!) : null;
    const meeting = meetingOf(operations.length);
    const unusedFrom = new Map<string, number>();
    const asked = await Promise.allSettled(
      operations.map((operation) =>
        askLimit({
          ...askingOf(run, operation, observations, watch, servers),
          together: meeting.together,
          unusedFrom: (at, other) => {
            unusedFrom.set(`${operation} ${(other ? second : first)!.account.label}`, at);
          },
        }).finally(meeting.leave),
      ),
    );
    const judge = (): JudgedLimits => {
      const since = observations.filter(
        ({ account, operation, sentAt }) => sentAt >= (unusedFrom.get(`${operation} ${account}`) ?? Infinity),
      );
      // Limits that were not asked to the end are judged if they were reached.
      const judged = since.filter(
        ({ operation }) =>
          asked[operations.indexOf(operation)]?.status === "fulfilled" ||
          since.some((observation) => observation.operation === operation && isRefused(observation)),
      );
      return judgeLimits(judged, { quotas: profile.limits, windowSeconds: profile.limits.window });
    };
    let seen = judge();
    if (
      seen.suspicion?.account === first!.account.label &&
      asked.every(({ status }) => status === "fulfilled")
    ) {
      const { first: one, amount, second: other } = seen.suspicion;
      const [opening, using] = [one, other].map((operation) =>
        askingAlone(askingOf(run, operation, observations, watch, servers)),
      ) as [Asking, Asking];
      await askInTurn(opening, amount, using);
      seen = judge();
    }
    const { facts, findings, offset } = seen;
    for (const finding of findings) judgement.find(finding);
    const kinds = [...new Set(facts.map(({ kind }) => kind))];
    const outcome: Outcome = {
      notes: [...seenOf(first!, second, offset.ms), ...facts.flatMap(notSeen)],
      values: {
        admitted: observations.filter((observation) => !isRefused(observation)).length,
        refused: observations.filter(isRefused).length,
      },
      windows: {
        kind: kinds.length === 1 ? kinds[0]! : "unknown",
        seconds: profile.limits.window,
        points: pointsOf(observations, operations),
      },
      limits: facts,
      questions: [
        ...operations.map((operation) => quotaQuestion(operation, facts, findings)),
        question(
          "whether the keys of an account share a quota",
          first!.senders.length > 1
            ? notRefused(facts)
            : inProfile("credentials: {second_key_of_account: KEY}"),
        ),
        question(
          "whether another account is served",
          second !== undefined ? notRefused(facts) : inProfile("credentials: {other_account: KEY}"),
        ),
        ...(typeof traces === "string"
          ? [question("whether a refused Call leaves a trace", because(traces))]
          : []),
      ],
    };
    run.soFar.outcome = () => outcome;
    for (const asking of asked) if (asking.status === "rejected") throw asking.reason;
    if (traces !== null && typeof traces !== "string") await judgeTraces(run, first!, traces, observations);
    const unkeyed = await anonymousWindow(run);
    return {
      ...outcome,
      notes: [...outcome.notes, ...unkeyed.notes],
      questions: [...outcome.questions!, unkeyed.question],
    };
  } finally {
    stop();
    for (const sending of servers.values()) sending.close();
  }
}

/** What a quota is shared by shows only in refusals. */
const notRefused = (facts: readonly RateLimitFacts[]): Wanting | null =>
  facts.some(({ first_refusal: refusal }) => refusal !== null) ? null : because("no request was refused");

/** A quota that was not seen to be used up in time and to come back is judged only where that is a fault. */
export function quotaQuestion(
  operation: LimitedOperation,
  facts: readonly RateLimitFacts[],
  findings: JudgedLimits["findings"],
): Question {
  const seen = facts.find((fact) => fact.operation === operation);
  const why =
    seen === undefined || seen.first_refusal === null
      ? "no request was refused"
      : seen.window_seen === false
        ? seen.kind_rests_on
        : null;
  const isFaulty = findings.some(
    ({ verdict, exchanges }) =>
      verdict !== "warn" && exchanges.some((exchange) => exchange.operation === operation),
  );
  const isJudged = why === null || isFaulty;
  return question(`the quota of ${operation}`, isJudged ? null : because(why));
}

/** Where some flows wait for each other. A flow that has ended is not waited for. */
function meetingOf(flows: number) {
  let waiting: ((all: boolean) => void)[] = [];
  let all = true;
  const go = (): void => {
    if (waiting.length < flows) return;
    for (const resolve of waiting) resolve(all);
    waiting = [];
    all = true;
  };
  return {
    /** Whether something holds of each flow. */
    together: (holds: boolean): Promise<boolean> =>
      new Promise((resolve) => {
        all &&= holds;
        waiting.push(resolve);
        go();
      }),
    leave: (): void => {
      flows -= 1;
      go();
    },
  };
}

const isLimited = (operation: string): operation is LimitedOperation =>
  (limitedOperations as readonly string[]).includes(operation);

/** What these accounts and keys could show, and what not. */
const seenOf = (first: AccountLease, second: AccountLease | undefined, offsetMs: number): string[] => [
  first.senders.length > 1
    ? `${first.senders.length} keys of one account`
    : "one key only: whether keys share a quota is not seen (profile: credentials: {second_key_of_account: KEY})",
  ...(second === undefined ? ["one account only: whether another one is touched is not seen"] : []),
  ...(Math.abs(offsetMs) > 1000
    ? [`the server's clock is ${(offsetMs / 1000).toFixed(1)} s from this one's`]
    : []),
];

/** What the server was too slow to show. */
const notSeen = ({ operation, not_seen: varied = [] }: RateLimitFacts): string[] =>
  varied.length === 0 ? [] : [`${operation}: whether it counts apart by ${varied.join(", ")} is not seen`];

const pointsOf = (
  observations: readonly Observation[],
  operations: readonly string[],
): NonNullable<Outcome["windows"]>["points"] =>
  observations
    .filter(({ operation }) => operations.includes(operation))
    .map((observation) => {
      const { answeredAt, operation, account, remaining, reset } = observation;
      return { at: answeredAt, operation, account, admitted: isAdmitted(observation), remaining, reset };
    });

/** What a varied request may end in: a server need not serve it. */
const ofVariations: readonly Wanted[] = ["failure", 400, 401, 403, 404, 415, 422, 429];

/** How one operation of the server is asked with the first account, and with the second. */
function askingOf(
  { profile, take, sending, clock, say, leases }: LoadRun,
  operation: LimitedOperation,
  observations: readonly Observation[],
  watch: (reply: Reply, varied?: string | null) => Observation | null,
  servers: ReadonlyMap<string, Sending>,
): Omit<Parameters<typeof askLimit>[0], "together" | "unusedFrom"> {
  const [first, second] = leases;
  const plan = ({ senders }: AccountLease, index: number): Planned => ({
    ...freePlan(operation, senders.at(index)!, profile),
    wants: [429],
  });
  const plain = plan(first!, 0);
  const variations = variationsOf(operation, first!.senders, profile);
  const windowMs = 1000 * profile.limits.window;
  return {
    quota: profile.limits[operation],
    windowMs,
    variations: [...servers.keys(), ...variations.keys()],
    hasOther: second !== undefined,
    async send({ varied, other = false }) {
      const planned = other
        ? plan(second!, -1)
        : varied === undefined
          ? plain
          : { ...(variations.get(varied) ?? plain), wants: ofVariations };
      const reply = await (servers.get(varied ?? "") ?? sending).send(planned);
      // The contract says nothing of answers to other spellings of a path.
      if (varied === undefined || !isSpelling(varied)) take(reply);
      const seen = watch(reply, varied ?? null);
      if (seen === null)
        throw new Blocked(`no answer to ${operation}: ${reply.exchange.error}`, reply.exchange);
      return seen;
    },
    async burst(amount, connections) {
      const seen: Observation[] = [];
      const onReply = (reply: Reply): void => {
        take(reply);
        const observation = watch(reply);
        if (observation !== null) seen.push(observation);
      };
      await sending.closedLoop({ requests: [plain], concurrentRequests: connections, amount, onReply });
      return seen;
    },
    offset: () => offsetOf(observations),
    now: () => clock.now(),
    pause: (milliseconds) => clock.pause(milliseconds),
    say: (text) => say(`${operation}: ${text}`),
  };
}

/** An operation that is asked while no other is. */
const askingAlone = (asking: ReturnType<typeof askingOf>): Asking => ({
  ...asking,
  together: async (holds) => holds,
  unusedFrom: () => undefined,
});

/** An account's credits and history, if the server reports them. */
interface Traces {
  credits: number | null;
  calls: number;
  entries: number;
}

async function tracesOf({ account }: AccountLease): Promise<Traces> {
  const total = async (answer: ReturnType<typeof account.usage>): Promise<number> =>
    usable(await answer).at("data.total").number;
  return {
    credits: await account.credits().catch((error: unknown) => {
      if (error instanceof Unverifiable) return null;
      throw error;
    }),
    calls: await total(account.usage({ kind: "call", page_size: 1 })),
    entries: await total(account.ledger({ page_size: 1 })),
  };
}

/** The same, or why they cannot be read: limits can be used up before the server keeps or shows any records. */
async function tracesOrNone(lease: AccountLease): Promise<Traces | string> {
  try {
    return await tracesOf(lease);
  } catch (error) {
    if (error instanceof NotThere) return `usage audit or ledger are off: ${error.message}`;
    const status = error instanceof Blocked ? error.exchange?.response?.status : undefined;
    if (status === undefined || !statusesOfAbsence.includes(status)) throw error;
    return `usage audit or ledger are not implemented (${status})`;
  }
}

/** Refused calls leave no trace: no event, no entry, no charge. */
async function judgeTraces(
  { profile, judgement }: LoadRun,
  lease: AccountLease,
  before: Traces,
  observations: readonly Observation[],
): Promise<void> {
  const mine = observations.filter(
    ({ account, operation }) => operation === "call" && account === lease.account.label,
  );
  const refused = mine.filter(isRefused);
  if (refused.length === 0) return;
  const admitted = mine.length - refused.length;
  await until(
    lease.account.lagMs,
    async () => (await tracesOf(lease)).calls - before.calls,
    (calls) => calls >= admitted,
  );
  await lease.account.settled();
  const now = await tracesOf(lease);
  const exchanges = refused.slice(0, 2).map(({ exchange }) => exchange);
  if (now.calls - before.calls > admitted) {
    judgement.find({
      name: "refused-call-executed",
      clauses: ["LIMI-11"],
      title: "a call that was refused with 429 leaves a usage event",
      fact: condition(
        `${admitted} usage events of ${admitted} admitted calls`,
        String(now.calls - before.calls),
        { kind: "row" },
      ),
      exchanges,
    });
  }
  const free = profile.tools.included !== undefined;
  const most = free ? 0 : admitted;
  const fell = before.credits === null || now.credits === null ? 0 : before.credits - now.credits;
  if (now.entries - before.entries > most || (free && fell > 1e-9)) {
    judgement.find({
      name: "refused-call-charged",
      clauses: ["LIMI-11"],
      title: "a call that was refused with 429 moves credits",
      fact: condition(
        `at most ${most} ledger entries of ${admitted} admitted calls`,
        `${now.entries - before.entries} entries, and ${fell} credits less`,
        { kind: "row" },
      ),
      exchanges,
    });
  }
}
