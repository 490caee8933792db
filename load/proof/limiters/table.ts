import type { Kind } from "../../../conformance/suite/limits/judge/kind.ts";

/** A limiter that people run, and what it is by the contract's words. */
export interface Row {
  /** Its name and form, for people. */
  limiter: string;
  /** What it is started with: a name in limiters.js, or one of the proxies, and its options. */
  start: string;
  options?: object;
  /** The truth by the contract's words. */
  truth: string;
  /** The findings that tell it: all that fail, and no others. */
  fails: readonly string[];
  /** Findings of which it has one or more, by the phase of its windows. */
  oneOf?: readonly string[];
  /** The recommendations that it does not follow: all of them. */
  warns?: readonly string[];
  /** The kinds as which it may be recognised besides `unknown`, which a slow machine makes of any; any for one that is none. */
  kinds?: readonly Kind[];
}

const none: readonly string[] = [];

export const rows: readonly Row[] = [
  {
    limiter: "express-rate-limit, memory",
    start: "express-rate-limit",
    truth: "right",
    fails: none,
    kinds: ["first-request", "fixed"],
  },
  {
    limiter: "express-rate-limit, draft-7 headers",
    start: "express-rate-limit",
    options: { headers: "draft-7" },
    truth: "the contract's headers are missing",
    fails: ["headers-never-shown"],
    kinds: ["fixed", "first-request"],
  },
  {
    limiter: "express-rate-limit, Redis",
    start: "express-rate-limit",
    options: { store: "redis" },
    truth: "right; Reset differs by a second within a window",
    fails: none,
    kinds: ["first-request", "fixed"],
  },
  {
    limiter: "express-rate-limit, by address",
    start: "express-rate-limit",
    options: { by: "ip" },
    truth: "LIMI-08: accounts share",
    fails: ["accounts-share-a-quota"],
    kinds: ["first-request", "fixed"],
  },
  {
    limiter: "express-rate-limit, by key",
    start: "express-rate-limit",
    options: { by: "key" },
    truth: "LIMI-07: each key counts",
    fails: ["counts-keys-apart"],
    kinds: ["first-request", "fixed"],
  },
  {
    limiter: "express-rate-limit, by account alone",
    start: "express-rate-limit",
    options: { by: "account" },
    truth: "LIMI-09: operations share",
    fails: ["operations-share-a-quota"],
    kinds: ["first-request", "fixed"],
  },
  {
    limiter: "express-rate-limit, by X-Forwarded-For",
    start: "express-rate-limit",
    options: { by: "X-Forwarded-For" },
    truth: "LIMI-05: a client names itself",
    fails: ["counts-apart-by-x-forwarded-for"],
    kinds: ["first-request", "fixed"],
  },
  {
    limiter: "express-rate-limit, two processes",
    start: "express-rate-limit",
    options: { replicas: 2 },
    truth: "twice the quota",
    fails: ["admits-too-many"],
  },
  {
    limiter: "rate-limiter-flexible, memory",
    start: "rate-limiter-flexible",
    truth: "right",
    fails: none,
    kinds: ["first-request", "fixed"],
  },
  {
    limiter: "rate-limiter-flexible, as its README",
    start: "rate-limiter-flexible",
    options: { fraction: true },
    truth: "LIMI-16: Retry-After is a fraction",
    fails: ["LIMI-16/always"],
    kinds: ["first-request", "fixed"],
  },
  {
    limiter: "rate-limiter-flexible, Redis",
    start: "rate-limiter-flexible",
    options: { store: "redis" },
    truth: "right; Reset differs by a second within a window",
    fails: none,
    kinds: ["first-request", "fixed"],
  },
  {
    limiter: "rate-limiter-flexible, insurance",
    start: "rate-limiter-flexible",
    options: { store: "insurance" },
    truth: "right",
    fails: none,
    kinds: ["first-request", "fixed"],
  },
  {
    limiter: "rate-limiter-flexible, burst of 25",
    start: "rate-limiter-flexible",
    options: { burst: 25 },
    truth: "25 more than the quota",
    fails: ["admits-too-many"],
  },
  {
    limiter: "rate-limiter-flexible, block of 2 windows",
    start: "rate-limiter-flexible",
    options: { blockWindows: 2 },
    truth: "LIMI-06: refused for two windows",
    fails: ["window-too-long"],
  },
  {
    limiter: "@fastify/rate-limit, memory",
    start: "@fastify/rate-limit",
    truth: "LIMI-15: Reset is a number of seconds from now",
    fails: ["reset-in-seconds-from-now"],
    kinds: ["fixed", "first-request"],
  },
  {
    limiter: "@fastify/rate-limit, Redis",
    start: "@fastify/rate-limit",
    options: { store: "redis" },
    truth: "LIMI-15: Reset is a number of seconds from now",
    fails: ["reset-in-seconds-from-now"],
    kinds: ["fixed", "first-request"],
  },
  {
    limiter: "@fastify/rate-limit, continueExceeding",
    start: "@fastify/rate-limit",
    options: { continueExceeding: true },
    truth: "LIMI-15: Reset is a number of seconds from now; LIMI-06: refusals prolong the window",
    fails: ["reset-in-seconds-from-now", "window-too-long"],
  },
  {
    limiter: "koa-ratelimit, memory",
    start: "koa-ratelimit",
    options: { driver: "memory", store: "memory" },
    truth: "LIMI-15: Reset is a fraction; Retry-After is rounded down",
    fails: ["LIMI-15/always"],
    warns: ["retry-after-rounded-down"],
    kinds: ["first-request", "fixed"],
  },
  {
    limiter: "koa-ratelimit, Redis",
    start: "koa-ratelimit",
    options: { store: "redis" },
    truth: "LIMI-19: Reset and Retry-After are both rounded down",
    fails: none,
    oneOf: ["retry-after-zero", "retry-after-too-short", "retry-after-rounded-down"],
    kinds: ["sliding"],
  },
  {
    limiter: "@upstash/ratelimit, fixedWindow",
    start: "@upstash/ratelimit",
    options: { algorithm: "fixedWindow" },
    truth: "right",
    fails: none,
    kinds: ["aligned", "fixed"],
  },
  {
    limiter: "@upstash/ratelimit, cachedFixedWindow",
    start: "@upstash/ratelimit",
    options: { algorithm: "cachedFixedWindow" },
    truth: "right",
    fails: none,
    kinds: ["aligned", "fixed"],
  },
  {
    limiter: "@upstash/ratelimit, slidingWindow",
    start: "@upstash/ratelimit",
    options: { algorithm: "slidingWindow" },
    truth: "LIMI-06: an estimate from two windows",
    fails: ["refuses-too-early"],
    kinds: ["weighted", "aligned"],
  },
  {
    limiter: "@upstash/ratelimit, tokenBucket",
    start: "@upstash/ratelimit",
    options: { algorithm: "tokenBucket" },
    truth: "right: the bucket is filled once a window",
    fails: none,
    kinds: ["first-request", "fixed"],
  },
  {
    limiter: "@upstash/ratelimit, Reset as in its docs",
    start: "@upstash/ratelimit",
    options: { algorithm: "fixedWindow", milliseconds: true },
    truth: "LIMI-15: Reset is in milliseconds",
    fails: ["reset-in-milliseconds"],
    kinds: ["aligned", "fixed"],
  },
  {
    limiter: "bottleneck, reservoir",
    start: "bottleneck",
    truth: "exact; it does not know its Reset",
    fails: ["headers-never-shown"],
    kinds: ["fixed", "first-request"],
  },
  {
    limiter: "limiter, token bucket",
    start: "limiter",
    truth: "LIMI-06: two limits at once; LIMI-17, LIMI-19: neither is what it says",
    fails: ["LIMI-17/always"],
    oneOf: [
      "refuses-too-early",
      "admits-too-many",
      "retry-after-too-short",
      "reset-drifts",
      "reset-too-late",
    ],
  },
  { limiter: "GCRA, Redis script", start: "gcra", truth: "right", fails: none, kinds: ["token-bucket"] },
  {
    limiter: "GCRA, Retry-After floored",
    start: "gcra",
    options: { floor: true },
    truth: "Retry-After is rounded down",
    fails: none,
    warns: ["retry-after-rounded-down"],
    kinds: ["token-bucket"],
  },
  {
    limiter: "nginx, as shipped",
    start: "nginx",
    truth: "LIMI-05: 503; LIMI-06: one at a time; no headers",
    fails: ["headers-never-shown", "refuses-too-early", "refuses-with-another-status"],
    kinds: ["leaky-bucket", "token-bucket"],
  },
  {
    limiter: "nginx, burst nodelay, as shipped",
    start: "nginx",
    options: { burst: 39 },
    truth: "LIMI-05: 503; no headers",
    fails: ["headers-never-shown", "refuses-with-another-status"],
    kinds: ["token-bucket"],
  },
  {
    limiter: "nginx, burst nodelay, 429",
    start: "nginx",
    options: { burst: 39, status: 429 },
    truth: "ERRO-03, ERRO-04, HTTP-02, VERS-04: no Retry-After, no JSON; no headers",
    fails: [
      "ERRO-03/always",
      "HTTP-02/always",
      "VERS-04/always",
      "headers-never-shown",
      "retry-after-missing",
    ],
    kinds: ["token-bucket"],
  },
  {
    limiter: "nginx, burst nodelay, 429 and Retry-After",
    start: "nginx",
    options: { burst: 39, status: 429, retryAfter: 1 },
    truth: "right; the contract's headers are missing",
    fails: ["headers-never-shown"],
    kinds: ["token-bucket"],
  },
  {
    limiter: "nginx, no burst, 429 and Retry-After",
    start: "nginx",
    options: { status: 429, retryAfter: 1 },
    truth: "LIMI-06: one at a time",
    fails: ["refuses-too-early", "headers-never-shown"],
    kinds: ["leaky-bucket", "token-bucket"],
  },
  {
    limiter: "nginx, burst with delay",
    start: "nginx",
    options: { burst: 200, delay: true, status: 429, retryAfter: 1 },
    truth: "LIMI-05: delays instead of refusing; no headers",
    fails: ["headers-never-shown", "never-refuses"],
    kinds: ["none"],
  },
  {
    limiter: "HAProxy, stick table of all requests",
    start: "haproxy",
    options: { counts: "all" },
    truth: "LIMI-06: refusals prolong; no headers",
    fails: ["headers-never-shown", "refuses-too-early"],
  },
  {
    limiter: "HAProxy, stick table of the admitted",
    start: "haproxy",
    options: { counts: "admitted" },
    truth: "LIMI-06: an estimate from two windows; no headers",
    fails: ["headers-never-shown", "refuses-too-early"],
    kinds: ["weighted", "aligned"],
  },
];
