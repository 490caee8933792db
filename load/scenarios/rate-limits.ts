import { limitedOperations, type LimitedOperation } from "../../generated/contract.ts";
import { usable } from "../../conformance/server/account.ts";
import { until } from "../../conformance/server/session.ts";
import { Blocked, Unverifiable } from "../../conformance/judge/verdict.ts";
import { judgeWindows } from "../windows/judge.ts";
import { observationOf, skewOf, type Observation } from "../windows/observation.ts";
import type { Outcome } from "../outcome.ts";
import type { Came } from "../came.ts";
import { freePlan, type Sender } from "../planned.ts";
import type { LoadRun, Seat } from "../run.ts";
import { kindWords, within } from "../windows/kind.ts";
import { anonymousWindow } from "./anonymous-window.ts";

/** Concurrent requests of a burst. */
const concurrentRequests = 24;
/** Requests of a burst beyond the quota. */
const requestsBeyondQuota = 8;
/** Delay between the first requests of two accounts: more than the undetected difference of the two clocks. */
const burstGapMs = 600;
/** Delay of the first request after the end of a window. */
const settleMs = 60;

/** The options of the scenario for the selected operations. */
export interface RateLimits {
  operations: readonly LimitedOperation[];
}

/**
 * Uses up the quota of each operation with all keys of one account, checks that another account is still served, and
 * returns when the server says so. The answers are judged together afterwards.
 */
export async function rateLimits(run: LoadRun, { operations }: RateLimits): Promise<Outcome> {
  const { profile, seats, session, clock } = run;
  const [first, second] = seats;
  const observations: Observation[] = [];
  const watch = (came: Pick<Came, "exchange" | "request" | "sentAt" | "answeredAt">): Observation | null => {
    const seen = observationOf(came);
    if (seen !== null && (limitedOperations as readonly string[]).includes(seen.operation))
      observations.push(seen);
    return seen;
  };
  // Requests outside the flows, such as those for the credits, count in the windows too.
  const stop = session.client.listen((exchange) => {
    const { account, operation } = exchange;
    const seat = seats.find((one) => one.account.label === account);
    if (operation === null || seat === undefined) return;
    const planned = { ...freePlan("discover", seat.senders[0]!, profile), operation };
    const answeredAt = clock.now();
    watch({ exchange, request: planned, sentAt: answeredAt - exchange.duration_ms, answeredAt });
  });
  try {
    const traces = operations.includes("call") ? await tracesOf(first!) : null;
    await Promise.all(
      operations.map((operation) => new Flow(run, operation, observations, watch).perform(first!, second)),
    );
    if (traces !== null) await judgeTraces(run, first!, traces, observations);
    const { kind, skew, findings } = judgeWindows(observations, {
      quotas: profile.limits,
      windowSeconds: profile.limits.window,
    });
    for (const found of findings) run.judgement.find(found);
    const refused = observations.filter(({ admitted }) => !admitted).length;
    return {
      notes: [
        `windows of ${profile.limits.window} s: ${kindWords[kind]}`,
        ...seenOf(first!, second, skew.offset),
        ...(await anonymousWindow(run)),
      ],
      values: { admitted: observations.length - refused, refused },
      windows: { kind, seconds: profile.limits.window, points: pointsOf(observations, operations) },
    };
  } finally {
    stop();
  }
}

/** What these accounts and keys could show, and what they could not. */
const seenOf = (first: Seat, second: Seat | undefined, offsetMs: number): string[] => [
  first.senders.length > 1
    ? `${first.senders.length} keys of one account at the same time`
    : "one key only: whether keys share a quota is not seen (profile: credentials: {second_key_of_account: KEY})",
  ...(second === undefined ? ["one account only: whether another one is touched is not seen"] : []),
  ...(Math.abs(offsetMs) > 0
    ? [`the server's clock is ${(offsetMs / 1000).toFixed(1)} s from this one's`]
    : []),
];

const pointsOf = (
  observations: readonly Observation[],
  operations: readonly string[],
): NonNullable<Outcome["windows"]>["points"] =>
  observations
    .filter(({ operation }) => operations.includes(operation))
    .map(({ answeredAt, operation, account, admitted, remaining, reset }) => ({
      at: answeredAt,
      operation,
      account,
      admitted,
      remaining,
      reset,
    }));

/** Tests one operation. */
class Flow {
  readonly #run: LoadRun;
  readonly #operation: LimitedOperation;
  readonly #observations: Observation[];
  readonly #watch: (came: Came) => Observation | null;
  readonly #windowMs: number;

  constructor(
    run: LoadRun,
    operation: LimitedOperation,
    observations: Observation[],
    watch: (came: Came) => Observation | null,
  ) {
    this.#run = run;
    this.#operation = operation;
    this.#observations = observations;
    this.#watch = watch;
    this.#windowMs = 1000 * run.profile.limits.window;
  }

  async perform(first: Seat, second: Seat | undefined): Promise<void> {
    const { profile, say, clock } = this.#run;
    const quota = profile.limits[this.#operation];
    if (second !== undefined) {
      await this.#opening(second);
      // The delay ensures that one of the two lies inside an aligned window, not at its edge.
      await clock.pause(Math.min(burstGapMs, 0.15 * this.#windowMs));
    }
    let opening = await this.#opening(first);
    const left = this.#left(opening);
    if (left !== null && left < 0.85 * this.#windowMs) {
      // The windows are aligned, so wait for a whole one.
      await clock.pause(left + settleMs);
      opening = await this.#opening(first);
    }
    // Later requests in the window show whether it slides.
    await this.#pauseUntil(opening.answeredAt + 0.4 * this.#windowMs);
    say(
      `${this.#operation}: a burst of ${quota + requestsBeyondQuota - 1} over ${first.senders.length} keys`,
    );
    if (!(await this.#burst(first, quota + requestsBeyondQuota - 1)))
      await this.#burst(first, quota + requestsBeyondQuota);
    if (second !== undefined) await this.#send(second.senders.at(-1)!);

    const end = opening.answeredAt + Math.min(this.#windowMs, this.#left(opening) ?? this.#windowMs);
    await this.#pauseUntil(end - 900);
    const late = await this.#send(first.senders.at(-1)!);
    if (late.admitted) return;
    say(`${this.#operation}: waiting for Retry-After`);
    await this.#comeBack(first.senders[0]!, late);
  }

  /** Sends a request when the server says so, a second later, and again when the window must have ended. */
  async #comeBack(sender: Sender, late: Observation): Promise<void> {
    const seconds = /^\d+$/.test(late.retryAfter ?? "") ? Number(late.retryAfter) : null;
    const reset = Math.max(0, this.#left(late) ?? this.#windowMs);
    const promised = seconds === null ? reset : Math.min(1000 * seconds, 2 * this.#windowMs);
    await this.#run.clock.pause(promised + settleMs);
    for (const wait of [1000, this.#windowMs]) {
      if ((await this.#send(sender)).admitted) return;
      await this.#run.clock.pause(wait);
    }
    await this.#send(sender);
  }

  /**
   * Sends the first request of an account in an unused window. If the window is in use, by an earlier run or by another
   * user of the key, waits for its end.
   */
  async #opening(seat: Seat): Promise<Observation> {
    for (let attempt = 0; ; attempt += 1) {
      const seen = await this.#send(seat.senders[0]!);
      const track = this.#observations.filter(
        ({ account, operation }) => account === seen.account && operation === this.#operation,
      );
      const counted = seen.limit === null || seen.remaining === null ? 1 : seen.limit - seen.remaining;
      const unused = seen.admitted && counted <= within(track, seen, this.#windowMs).length;
      if (unused || attempt === 2) return seen;
      for (const one of track) this.#observations.splice(this.#observations.indexOf(one), 1);
      this.#run.say(`${this.#operation}: a window is in use; waiting for its end`);
      await this.#run.clock.pause(this.#windowMs + settleMs);
    }
  }

  /** Milliseconds from an answer to its Reset. */
  #left({ reset, answeredAt }: Observation): number | null {
    return reset === null ? null : 1000 * reset - answeredAt - skewOf(this.#observations).offset;
  }

  /** Sends that many concurrent requests; returns whether one was refused. */
  async #burst(seat: Seat, amount: number): Promise<boolean> {
    const { profile, take, sending } = this.#run;
    let refused = false;
    await sending.closedLoop({
      requests: seat.senders.map((sender) => freePlan(this.#operation, sender, profile)),
      concurrentRequests,
      amount,
      onCame: (came) => {
        take(came);
        if (this.#watch(came)?.admitted === false) refused = true;
      },
    });
    return refused;
  }

  async #send(sender: Sender): Promise<Observation> {
    const { sending, profile, take } = this.#run;
    const came = await sending.send(freePlan(this.#operation, sender, profile));
    take(came);
    const seen = this.#watch(came);
    if (seen === null)
      throw new Blocked(`no answer to ${this.#operation}: ${came.exchange.error}`, came.exchange);
    return seen;
  }

  #pauseUntil(at: number): Promise<void> {
    const { clock } = this.#run;
    return clock.pause(at - clock.now());
  }
}

/** An account's credits and history, if the server reports them. */
interface Traces {
  credits: number | null;
  calls: number;
  entries: number;
}

async function tracesOf({ account }: Seat): Promise<Traces> {
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

/** Refused calls leave no trace: no event, no entry, no charge. */
async function judgeTraces(
  { profile, judgement }: LoadRun,
  seat: Seat,
  before: Traces,
  observations: readonly Observation[],
): Promise<void> {
  const mine = observations.filter(
    ({ account, operation }) => operation === "call" && account === seat.account.label,
  );
  const refused = mine.filter(({ admitted }) => !admitted);
  if (refused.length === 0) return;
  const admitted = mine.length - refused.length;
  await until(
    seat.account.lagMs,
    async () => (await tracesOf(seat)).calls - before.calls,
    (calls) => calls >= admitted,
  );
  await seat.account.settled();
  const now = await tracesOf(seat);
  const exchanges = refused.slice(0, 2).map(({ exchange }) => exchange);
  if (now.calls - before.calls > admitted) {
    judgement.find({
      name: "refused-call-executed",
      clauses: ["LIMI-11"],
      title: "a call that was refused with 429 leaves a usage event",
      expected: `${admitted} usage events of ${admitted} admitted calls`,
      received: String(now.calls - before.calls),
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
      expected: `at most ${most} ledger entries of ${admitted} admitted calls`,
      received: `${now.entries - before.entries} entries, and ${fell} credits less`,
      exchanges,
    });
  }
}
