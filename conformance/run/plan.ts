import { operationIds, operations, type OperationId } from "../../generated/contract.ts";
import type { Limits } from "../server/allowance.ts";
import type { Profile } from "../server/profile.ts";
import type { Run } from "../judge/finding.ts";

/** What a run would send, cost and leave behind: the format of `--plan --json`. */
export interface Plan {
  target: string;
  requests: number;
  /** By operation, and `other` for paths that the contract does not have. */
  requests_by_operation: Partial<Record<OperationId | "other", number>>;
  /** The credits that Calls cost at the reference's prices, no more than `--budget`. */
  credits: number;
  accounts_registered: number;
  mails_sent: number;
  /** How often a rate limit is reached, by operation: an account can then send no more until its window ends. */
  limits_reached: Partial<Record<OperationId, number>>;
  /** Usage events that stay in the audit of the accounts. */
  events_left: number;
  /** How long it took against the reference server, and how much of that it waited for windows and late answers. */
  seconds: number;
  waited_seconds: number;
  /** By how much 100 ms more for each answer lengthen it, at this number of checks side by side. */
  seconds_per_100_ms: number;
  /** Flags that hold a run to this plan, whatever the server does. */
  kept_by: string[];
}

/** Checks that run side by side, unless a run says otherwise. */
const usualConcurrency = 16;

/**
 * The plan for a profile's server.
 * @param judged the same run against the reference server in its place
 * @param concurrency checks that run side by side
 */
export function planOf(
  target: string,
  { exchanges, sent, duration_ms: ms, waited_ms: waited }: Run,
  { budget, maxRequests }: Limits,
  concurrency = usualConcurrency,
): Plan {
  const answered = (status: number, ...of: OperationId[]): number =>
    exchanges.filter(
      (exchange) => exchange.response?.status === status && of.some((id) => id === exchange.operation),
    ).length;
  const byOperation = Map.groupBy(exchanges, ({ operation }) => operation ?? "other");
  const reached = operationIds.map((id) => [id, answered(429, id)] as const);
  const recorded = operationIds.filter((id) => operations[id].eventType !== null);
  // Other prices and other amounts of data need some more.
  const credits = budget ?? Math.ceil(sent.credits);
  const requests = maxRequests ?? Math.ceil(1.2 * sent.requests);
  return {
    target,
    requests: sent.requests,
    requests_by_operation: Object.fromEntries([...byOperation].map(([id, some]) => [id, some.length])),
    credits: Math.ceil(sent.credits),
    accounts_registered: answered(200, "registerAnonymous"),
    mails_sent: answered(200, "startClaim"),
    limits_reached: Object.fromEntries(reached.filter(([, count]) => count > 0)),
    events_left: answered(200, ...recorded),
    seconds: Math.ceil(ms / 1000),
    waited_seconds: Math.ceil(waited / 1000),
    seconds_per_100_ms: Math.ceil(sent.requests / concurrency / 10),
    kept_by: [`--budget ${credits}`, `--max-requests ${requests}`],
  };
}

/** The plan for a terminal. */
export function planText(plan: Plan): string {
  const list = (counts: Readonly<Record<string, number>>): string =>
    Object.entries(counts)
      .sort(([, one], [, other]) => other - one)
      .map(([name, count]) => `${name} ${count}`)
      .join(", ") || "none";
  return [
    `Nothing was sent to ${plan.target}. The same run against the reference server, in its place, took:`,
    `  ${plan.requests} requests: ${list(plan.requests_by_operation)}`,
    `  Calls for ${plan.credits} credits at the reference's prices; those of your tools decide what they cost you`,
    `  ${plan.accounts_registered} trial accounts registered, ${plan.mails_sent} mails sent`,
    `  rate limits reached, so that an account must wait for its window to end: ${list(plan.limits_reached)}`,
    `  ${plan.seconds} s, ${plan.waited_seconds} s of them waiting for windows; if your server takes 100 ms longer for an answer, about ${plan.seconds_per_100_ms} s more`,
    `It leaves the accounts and ${plan.events_left} usage events behind.`,
    `To hold a run to it, whatever the server does: ${plan.kept_by.join(" ")}`,
  ].join("\n");
}

/** The reference's profile, reduced to the parts that the profile of another server has too. */
export function standIn(reference: Profile, profile: Profile): Profile {
  const common = <Part extends object>(ours: Part, theirs: Part): Part =>
    Object.fromEntries(Object.entries(ours).filter(([name]) => name in theirs)) as Part;
  const { mailbox, clock, ...rest } = reference;
  return {
    ...rest,
    credentials: {
      ...common(reference.credentials, profile.credentials),
      pool: reference.credentials.pool.slice(0, profile.credentials.pool.length),
    },
    tools: common(reference.tools, profile.tools),
    capabilities: common(reference.capabilities, profile.capabilities),
    emails: common(reference.emails, profile.emails),
    features: profile.features,
    ...(profile.mailbox && mailbox && { mailbox }),
    ...(profile.clock && clock && { clock }),
  };
}
