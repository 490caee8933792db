import type { LimitedOperation } from "../../generated/contract.ts";
import type { Question } from "../../base/judged.ts";
import { kindWords } from "../../conformance/limits/kind.ts";
import { findLimit, type FoundLimit, type Seen } from "../engine/find-limit.ts";
import type { Outcome } from "../outcome.ts";
import { freePlan } from "../planned.ts";
import type { RateLimitFacts } from "../../conformance/limits/facts.ts";
import { because, question } from "../questions.ts";
import type { LoadRun } from "../run.ts";
import type { AccountLease } from "../account-leases.ts";

/** The search ends after this many admitted requests of an operation. */
const maxRequests = 20_000;
const concurrentRequests = 16;
/** Statuses with which servers refuse. */
const refusals = [429, 503, 403, 420];

/** Measures the quotas and windows of a server, whatever it declares. */
export async function findQuota(
  run: LoadRun,
  { operations }: { operations: readonly LimitedOperation[] },
): Promise<Outcome> {
  const { leases } = run;
  const limits: RateLimitFacts[] = [];
  const notes: string[] = [];
  const outcome = (): Outcome => ({ notes, values: {}, limits, questions: questionsOf(operations, limits) });
  run.soFar.outcome = outcome;
  if (leases.length < operations.length)
    notes.push(
      `${leases.length} accounts for ${operations.length} operations: their limits are taken to be apart`,
    );
  await Promise.all(
    operations.map(async (operation, index) => {
      const found = await measured(run, operation, leases[index % leases.length]!);
      limits.push(factsOf(operation, found, run));
    }),
  );
  limits.sort(
    (one, other) => operations.indexOf(one.operation as never) - operations.indexOf(other.operation as never),
  );
  doubtDifferences(limits);
  const quotas = limits.filter((limit) => limit.measured_quota !== null && limit.doubts!.length === 0);
  const doubted = limits.filter(({ doubts = [] }) => doubts.length > 0);
  if (doubted.length > 0)
    notes.push(
      `not proposed for a profile, since unsure: ${doubted.map(({ operation }) => operation).join(", ")}`,
    );
  const [window] = quotas.flatMap(({ measured_window_seconds: span }) =>
    span === null ? [] : [(span.least + span.most) / 2],
  );
  if (window !== undefined)
    notes.push(
      `as lines of a profile: limits: {window: ${Math.round(window)}, ${quotas.map((quota) => `${quota.operation}: ${quota.measured_quota}`).join(", ")}}`,
    );
  return outcome();
}

/** Which quotas were found. */
const questionsOf = (
  operations: readonly LimitedOperation[],
  limits: readonly RateLimitFacts[],
): Question[] =>
  operations.map((operation) => {
    const facts = limits.find((limit) => limit.operation === operation);
    const [doubt] = facts?.doubts ?? [];
    const lack =
      facts === undefined
        ? "the search ended early"
        : facts.measured_quota === null
          ? "no request was refused"
          : doubt;
    return question(`the quota of ${operation}`, lack === undefined ? null : because(lack));
  });

/** Operations of one server mostly have one kind of limit and one window: where they differ, none is sure. */
function doubtDifferences(limits: readonly RateLimitFacts[]): void {
  const spans = limits.flatMap(({ measured_window_seconds: span }) => (span === null ? [] : [span]));
  const [least, most] = [
    Math.min(...spans.map((span) => span.most)),
    Math.max(...spans.map((span) => span.least)),
  ];
  const kinds = new Set(limits.map(({ kind }) => kind));
  kinds.delete("none");
  if (spans.length < 2 || (most <= least * (1 + sameWindowShare) && kinds.size < 2)) return;
  for (const limit of limits) {
    const other = limits.find(
      (some) =>
        some !== limit &&
        (some.kind !== limit.kind || differ(some.measured_window_seconds, limit.measured_window_seconds)),
    );
    if (other !== undefined && limit.kind !== "none")
      limit.doubts!.push(
        `${other.operation} has another kind or window: several counts, or one that was disturbed?`,
      );
  }
}

/** Windows that differ by less are one. */
const sameWindowShare = 0.1;
const differ = (one: Span, other: Span): boolean =>
  one !== null &&
  other !== null &&
  Math.max(one.least, other.least) > Math.min(one.most, other.most) * (1 + sameWindowShare);
type Span = RateLimitFacts["measured_window_seconds"];

function measured(run: LoadRun, operation: LimitedOperation, lease: AccountLease): Promise<FoundLimit> {
  const { sending, profile, clock, take, say } = run;
  const request = { ...freePlan(operation, lease.senders[0]!, profile), wants: refusals };
  return findLimit({
    async burst(amount) {
      const seen: Seen[] = [];
      await sending.closedLoop({
        requests: [request],
        amount,
        concurrentRequests,
        onReply: (reply) => {
          take(reply);
          const { sentAt, answeredAt, answer } = reply;
          if (answer instanceof Error) return;
          seen.push({
            sentAt,
            answeredAt,
            status: answer.status,
            admitted: !refusals.includes(answer.status),
          });
        },
      });
      // A request without an answer shows nothing; the next one does.
      if (seen.length === 0) return this.burst(amount);
      return seen.sort((one, other) => one.sentAt - other.sentAt);
    },
    now: () => clock.now(),
    pause: (milliseconds) => clock.pause(milliseconds),
    say: (text) => say(`${operation}: ${text}`),
    maxRequests,
    likelySeconds: profile.limits.window,
    before: run.session.exchanges.filter(
      (exchange) =>
        exchange.operation === operation &&
        exchange.account === lease.account.label &&
        exchange.response?.status === 200 &&
        exchange.started_at > Date.now() - 1000 * profile.limits.window,
    ).length,
  });
}

function factsOf(operation: LimitedOperation, limit: FoundLimit, { profile }: LoadRun): RateLimitFacts {
  const { quota, windowSeconds, kind, restsOn, perSecond, refusedWith, doubts } = limit;
  return {
    operation,
    declared: { quota: profile.limits[operation], window_seconds: profile.limits.window },
    measured_quota: quota,
    measured_window_seconds: windowSeconds,
    fullest_window: null,
    first_refusal: quota === null ? null : { after_admitted: quota, status: refusedWith! },
    waits: { asked: 0, kept: 0 },
    keys_shared: null,
    other_account_served: null,
    counted_apart: [],
    doubts: [...doubts],
    kind,
    kind_words: kindWords[kind],
    kind_rests_on: restsOn,
    ...(perSecond === undefined ? {} : { refill_per_second: perSecond }),
  };
}
