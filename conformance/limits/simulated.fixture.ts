import { missed } from "../judge/finding.ts";
import { operations, type LimitedOperation } from "../../generated/contract.ts";
import type { Allowance } from "../../reference-server/parts.ts";
import type { ClauseId } from "../../generated/clauses.ts";
import { levelOf } from "../judge/level.ts";
import { seenOf } from "../judge/seen.ts";
import { rules } from "../suite/limits/rules.ts";
import type { LimitFinding } from "./case.ts";
import { askLimit } from "./course.ts";
import { judgeLimits, type JudgedLimits } from "./judge.ts";
import { observationOf, offsetOf, type Observation } from "./observation.ts";
import { anotherKey } from "./sharing.ts";

/** A request as a simulated server sees it; `at` by the server's clock. */
export interface Incoming {
  at: number;
  account: string;
  varied: string | null;
  /** The number of the request since the beginning. */
  index: number;
}

/** An answer's status and headers, without those of HTTP. */
export interface Reply {
  status: number;
  headers: Record<string, string>;
  body?: string;
}

export type Serve = (incoming: Incoming) => Reply;

/** How a run is simulated. */
export interface Simulation {
  quota: number;
  windowSeconds: number;
  /** Milliseconds past the minute at which it starts. */
  phase?: number;
  /** How far the server's clock is ahead, in milliseconds. */
  ahead?: number;
  /** The longest time of a request on its way, and of its answer, in milliseconds. */
  slowestMs?: number;
  /** The longest time by which a pause is too long, in milliseconds, on a busy machine. */
  latestPauseMs?: number;
  seed?: number;
  serve: Serve;
}

const noon = Date.UTC(2026, 8, 12, 12);
const operation: LimitedOperation = "discover";

/** What varies in the simulated requests. */
export const variations = [
  anotherKey,
  "User-Agent",
  "X-Forwarded-For",
  "case of the scheme",
  "address",
  "session_id",
];

/** The words of the contract for an allowance. */
export function replyOf({ allowed, limit, remaining, reset, retryAfter }: Allowance): Reply {
  return {
    status: allowed ? 200 : 429,
    headers: {
      "x-ratelimit-limit": String(limit),
      "x-ratelimit-remaining": String(remaining),
      "x-ratelimit-reset": String(reset),
      ...(allowed ? {} : { "retry-after": String(retryAfter) }),
    },
  };
}

/** Runs the whole course against a simulated server in simulated time, and judges it. */
export async function judgedRun(simulation: Simulation): Promise<JudgedLimits & { judged: Observation[] }> {
  const {
    quota,
    windowSeconds,
    phase = 0,
    ahead = 0,
    slowestMs = 8,
    latestPauseMs = 0,
    seed = 1,
    serve,
  } = simulation;
  const random = randomOf(seed);
  const observations: Observation[] = [];
  let now = noon + phase;
  let index = 0;
  /** Sends requests at some times; the server counts them in the order of their arrival. */
  const deliver = (sent: { at: number; account: string; varied: string | null }[]): Observation[] => {
    const arriving = sent.map((request) => ({
      ...request,
      arrives: request.at + 0.5 + random() * slowestMs,
      back: 0.5 + random() * slowestMs,
    }));
    const seen = arriving
      .toSorted((one, other) => one.arrives - other.arrives)
      .map(({ at, arrives, back, account, varied }) => {
        const serverNow = arrives + ahead;
        const {
          status,
          headers,
          body = "{}",
        } = serve({ at: serverNow, account, varied, index: (index += 1) });
        const exchange = {
          operation,
          account,
          started_at: at,
          duration_ms: arrives + back - at,
          request: {
            method: "POST",
            url: `http://127.0.0.1${operations[operation].path}`,
            headers: {},
            body: null,
          },
          response: { status, headers: { date: new Date(serverNow).toUTCString(), ...headers }, body },
          error: null,
        };
        return observationOf(exchange, { account, operation, varied })!;
      });
    observations.push(...seen);
    now = Math.max(...seen.map(({ answeredAt }) => answeredAt));
    return seen;
  };
  const from = { one: Infinity, other: Infinity };
  await askLimit({
    quota,
    windowMs: 1000 * windowSeconds,
    variations,
    hasOther: true,
    send: async ({ varied = null, other = false }) =>
      deliver([{ at: now, account: other ? "other" : "one", varied }])[0]!,
    burst: async (amount, connections) => {
      const each = Math.max(1, slowestMs);
      return deliver(
        Array.from({ length: amount }, (_, number) => ({
          at: now + Math.floor(number / connections) * each + random(),
          account: "one",
          varied: null,
        })),
      );
    },
    offset: () => offsetOf(observations),
    now: () => now,
    pause: async (milliseconds) => void (now += milliseconds + latestPauseMs * random()),
    together: async (holds) => holds,
    unusedFrom: (at, other) => void (from[other ? "other" : "one"] = at),
    say: () => undefined,
  });
  const judged = observations.filter(({ sentAt, account }) => sentAt >= from[account as keyof typeof from]);
  const judgedLimits = judgeLimits(judged, { quotas: quotasOf(quota), windowSeconds });
  return {
    ...judgedLimits,
    findings: [...judgedLimits.findings, ...brokenRules(judged, judgedLimits)],
    judged,
  };
}

/** The rules that single answers break, each by its clause, if the judge does not say the same. */
function brokenRules(judged: readonly Observation[], { findings }: JudgedLimits): LimitFinding[] {
  const seen = judged.map(({ exchange }) => seenOf(exchange)!);
  return rules.flatMap(({ clauses, title, judge }) => {
    const [clause] = clauses as [ClauseId];
    if (findings.some(({ insteadOf }) => insteadOf === clause)) return [];
    const broken = seen.map(judge).find((judgement) => judgement !== null && judgement !== true);
    if (broken === undefined) return [];
    const verdict = levelOf(clauses) === "must" ? "fail" : "warn";
    return [{ name: clause, clauses: [clause], title, ...missed(broken), verdict, count: 1, exchanges: [] }];
  });
}

export const quotasOf = (quota: number): Record<LimitedOperation, number> => ({
  discover: quota,
  inspect: quota,
  probe: quota,
  call: quota,
});

/** Numbers from 0 to 1 that a seed determines. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
