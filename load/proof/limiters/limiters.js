// Each limiter as its README shows it: a function of the gate and the options of its row that gives a listener.
import http from "node:http";
import fastifyRateLimit from "@fastify/rate-limit";
import { Ratelimit } from "@upstash/ratelimit";
import Bottleneck from "bottleneck";
import express from "express";
import { rateLimit } from "express-rate-limit";
import Fastify from "fastify";
import { Redis } from "ioredis";
import Koa from "koa";
import koaRateLimit from "koa-ratelimit";
import { RateLimiter } from "limiter";
import { RedisStore } from "rate-limit-redis";
import { BurstyRateLimiter, RateLimiterMemory, RateLimiterRedis } from "rate-limiter-flexible";

const now = () => Date.now() / 1000;

/** The contract's headers. */
function show(response, { limit, remaining, reset, retryAfter }) {
  response.setHeader("X-RateLimit-Limit", limit);
  response.setHeader("X-RateLimit-Remaining", remaining);
  if (reset !== undefined) response.setHeader("X-RateLimit-Reset", reset);
  if (retryAfter !== undefined) response.setHeader("Retry-After", retryAfter);
}

/** One value for each bucket, made when it is first needed. */
function each(make) {
  const made = new Map();
  return (bucket) => {
    if (!made.has(bucket)) made.set(bucket, make());
    return made.get(bucket);
  };
}

/** Keys that make a limiter count wrongly. */
const keys = {
  ip:
    ({ pathOf }) =>
    (request) =>
      `${request.socket.remoteAddress}${pathOf(request)}`,
  key:
    ({ keyOf, pathOf }) =>
    (request) =>
      `${keyOf(request)}${pathOf(request)}`,
  account: ({ accountOf }) => accountOf,
  "X-Forwarded-For":
    ({ bucketOf }) =>
    (request) =>
      `${request.headers["x-forwarded-for"] ?? ""}${bucketOf(request)}`,
};
const keyed = (gate, by) => (by === undefined ? gate.bucketOf : keys[by](gate));

export const limiters = {
  /** A program of another language, asked about each request. Its refusals are `own`, or have the contract's body. */
  asked({ forward, refuse, bucketOf, pathOf }, { port, own = false }) {
    // Most of these programs serve one connection at a time.
    const agent = new http.Agent();
    return (request, response) => {
      const { "content-length": _, "transfer-encoding": __, ...headers } = request.headers;
      const asking = http.get(
        {
          agent,
          host: "127.0.0.1",
          port,
          headers: { ...headers, "X-Bucket": bucketOf(request), "X-Operation": pathOf(request) },
        },
        (answer) => {
          const isAdmitted = answer.statusCode < 300;
          for (const [name, value] of Object.entries(answer.headers))
            if (/ratelimit|^retry-after$/.test(name) || (own && !isAdmitted && name === "content-type"))
              response.setHeader(name, value);
          if (!isAdmitted && own) return answer.pipe(response.writeHead(answer.statusCode));
          answer.resume();
          if (isAdmitted) forward(request, response);
          else refuse(response, answer.statusCode);
        },
      );
      asking.on("error", () => response.destroy());
    };
  },

  "express-rate-limit"(gate, { store, headers = true, by, replicas = 1 }) {
    const { quota, windowMs, forward, refuse, redisUrl, prefix } = gate;
    const client = store === "redis" ? new Redis(redisUrl) : undefined;
    const replica = () =>
      express()
        .set("etag", false)
        .disable("x-powered-by")
        .use(
          rateLimit({
            windowMs,
            limit: quota,
            legacyHeaders: headers === true,
            standardHeaders: headers === true ? false : headers,
            keyGenerator: keyed(gate, by),
            validate: false,
            handler: (_, response) => refuse(response),
            ...(client && {
              store: new RedisStore({ sendCommand: (...words) => client.call(...words), prefix }),
            }),
          }),
          forward,
        );
    const all = Array.from({ length: replicas }, replica);
    let turn = 0;
    return (request, response) => {
      turn += 1;
      return all[turn % all.length](request, response);
    };
  },

  "rate-limiter-flexible"(gate, { store, burst = 0, blockWindows = 0, fraction = false }) {
    const { quota, windowSeconds, forward, refuse, bucketOf, redisUrl, prefix } = gate;
    const options = {
      keyPrefix: prefix,
      points: quota,
      duration: windowSeconds,
      blockDuration: blockWindows * windowSeconds,
    };
    const redis = (url) =>
      new RateLimiterRedis({
        ...options,
        storeClient: new Redis(url, {
          enableOfflineQueue: url === redisUrl,
          maxRetriesPerRequest: 1,
        }).on("error", () => undefined),
        insuranceLimiter: new RateLimiterMemory(options),
      });
    const base = { redis: () => redis(redisUrl), insurance: () => redis("redis://127.0.0.1:1") }[store];
    const plain = base?.() ?? new RateLimiterMemory(options);
    const limiter =
      burst === 0
        ? plain
        : new BurstyRateLimiter(
            plain,
            new RateLimiterMemory({ keyPrefix: "burst", points: burst, duration: windowSeconds }),
          );
    return async (request, response) => {
      const result = await limiter.consume(bucketOf(request)).then(
        (allowed) => ({ ...allowed.toJSON(), allowed: true }),
        (refused) => ({ ...refused.toJSON(), allowed: false }),
      );
      const wait = result.msBeforeNext / 1000;
      show(response, {
        limit: quota,
        remaining: Math.max(0, result.remainingPoints),
        reset: Math.ceil(now() + wait),
        // Its README divides by 1000, and does not round.
        ...(!result.allowed && { retryAfter: fraction ? wait : Math.ceil(wait) }),
      });
      if (result.allowed) forward(request, response);
      else refuse(response);
    };
  },

  async "@fastify/rate-limit"({ quota, windowMs, forward, refuse, bucketOf, redisUrl, prefix }, options) {
    const { store, ...others } = options;
    const app = Fastify();
    app.removeAllContentTypeParsers();
    app.addContentTypeParser("*", (request, payload, done) => done(null));
    await app.register(fastifyRateLimit, {
      max: quota,
      timeWindow: windowMs,
      keyGenerator: ({ raw }) => bucketOf(raw),
      ...(store === "redis" && { redis: new Redis(redisUrl), nameSpace: prefix }),
      ...others,
    });
    const through = (act) => (reply) => {
      for (const [name, value] of Object.entries(reply.getHeaders())) reply.raw.setHeader(name, value);
      reply.hijack();
      act(reply.raw);
    };
    app.setErrorHandler((error, _, reply) =>
      through((response) => refuse(response, error.statusCode))(reply),
    );
    app.all("/*", (request, reply) => through((response) => forward(request.raw, response))(reply));
    await app.ready();
    return (request, response) => app.routing(request, response);
  },

  "koa-ratelimit"({ quota, windowMs, forward, refuse, bucketOf, redisUrl }, { store }) {
    const app = new Koa();
    app.use(async (context, next) => {
      await next();
      if (context.respond !== false && context.status === 429) {
        context.respond = false;
        context.res.removeHeader("content-length");
        refuse(context.res);
      }
    });
    app.use(
      koaRateLimit({
        driver: store,
        db: store === "redis" ? new Redis(redisUrl) : new Map(),
        duration: windowMs,
        max: quota,
        id: ({ req }) => bucketOf(req),
      }),
    );
    app.use((context) => {
      context.respond = false;
      forward(context.req, context.res);
    });
    return app.callback();
  },

  "@upstash/ratelimit"({ quota, windowSeconds, forward, refuse, bucketOf, redisUrl, prefix }, options) {
    const { algorithm, milliseconds = false } = options;
    const client = new Redis(redisUrl);
    const redis = {
      // Its scripts begin with a flag that only Upstash's own Redis knows.
      eval: (script, names, given) =>
        client.eval(script.replace(/^#!lua.*\n/, ""), names.length, ...names, ...given.map(String)),
      evalsha: (sha, names, given) => client.evalsha(sha, names.length, ...names, ...given.map(String)),
    };
    const window = `${windowSeconds} s`;
    const limiter = new Ratelimit({
      redis,
      prefix,
      ephemeralCache: false,
      limiter: {
        fixedWindow: () => Ratelimit.fixedWindow(quota, window),
        slidingWindow: () => Ratelimit.slidingWindow(quota, window),
        tokenBucket: () => Ratelimit.tokenBucket(quota, window, quota),
        cachedFixedWindow: () => Ratelimit.cachedFixedWindow(quota, window),
      }[algorithm](),
      ...(algorithm === "cachedFixedWindow" && { ephemeralCache: new Map() }),
    });
    return async (request, response) => {
      const { success, limit, remaining, reset } = await limiter.limit(bucketOf(request));
      show(response, {
        limit,
        remaining: Math.max(0, remaining),
        reset: milliseconds ? reset : Math.ceil(reset / 1000),
        ...(!success && { retryAfter: Math.max(1, Math.ceil(reset / 1000 - now())) }),
      });
      if (success) forward(request, response);
      else refuse(response);
    };
  },

  bottleneck({ quota, windowMs, forward, refuse, bucketOf }) {
    const of = each(
      () =>
        new Bottleneck({
          reservoir: quota,
          reservoirRefreshAmount: quota,
          reservoirRefreshInterval: windowMs,
          highWater: 0,
          strategy: Bottleneck.strategy.OVERFLOW,
        }),
    );
    return async (request, response) => {
      const limiter = of(bucketOf(request));
      const admit = async () => {
        show(response, { limit: quota, remaining: await limiter.currentReservoir() });
        forward(request, response);
      };
      // It does not say when it refreshes.
      await limiter.schedule(admit).catch(() => {
        show(response, { limit: quota, remaining: 0, retryAfter: windowMs / 1000 });
        refuse(response);
      });
    };
  },

  limiter({ quota, windowMs, forward, refuse, bucketOf }) {
    const of = each(
      () => new RateLimiter({ tokensPerInterval: quota, interval: windowMs, fireImmediately: true }),
    );
    return async (request, response) => {
      const limiter = of(bucketOf(request));
      const left = await limiter.removeTokens(1);
      const full = now() + ((quota - limiter.getTokensRemaining()) / quota) * (windowMs / 1000);
      show(response, {
        limit: quota,
        remaining: Math.max(0, Math.floor(limiter.getTokensRemaining())),
        reset: Math.ceil(full),
        ...(left < 0 && { retryAfter: Math.max(1, Math.ceil(windowMs / quota / 1000)) }),
      });
      if (left < 0) refuse(response);
      else forward(request, response);
    };
  },

  /** The generic cell rate algorithm, with one time for each bucket. */
  gcra({ quota, windowMs, forward, refuse, bucketOf, redisUrl }, { floor = false }) {
    const client = new Redis(redisUrl);
    const script = `
      local time = redis.call("TIME")
      local now = time[1] * 1000 + time[2] / 1000
      local each, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
      local full = math.max(tonumber(redis.call("GET", KEYS[1]) or now), now)
      local allowed = full + each - now <= burst
      if allowed then
        full = full + each
        redis.call("SET", KEYS[1], string.format("%.3f", full), "PX", math.ceil(full - now))
      end
      return { allowed and 1 or 0, math.floor((burst - (full - now)) / each), tostring(full), tostring(full + each - burst - now) }`;
    return async (request, response) => {
      const [allowed, remaining, full, wait] = await client.eval(
        script,
        1,
        bucketOf(request),
        windowMs / quota,
        windowMs,
      );
      show(response, {
        limit: quota,
        remaining,
        reset: Math.ceil(full / 1000),
        ...(!allowed && {
          retryAfter: floor ? Math.floor(wait / 1000) : Math.max(1, Math.ceil(wait / 1000)),
        }),
      });
      if (allowed) forward(request, response);
      else refuse(response);
    };
  },
};
