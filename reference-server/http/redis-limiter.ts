import { createHash } from "node:crypto";
import type { Logger } from "pino";
import type * as Redis from "redis";
import type { Limiter } from "../parts.ts";
import { allowance, createLimiter } from "./limiter.ts";
import type { LimiterOptions } from "./limiter.ts";

/**
 * Counts one request in one step, by the Redis server's clock: KEYS[1] is the bucket, ARGV its kind of window, the
 * window's length in ms and the quota. Answers whether it is admitted, how many are left, when the window ends, and
 * now, in epoch ms. Refused requests do not count. A window that lies further ahead than it can be is one of a clock
 * that was set back, and begins anew.
 */
const script = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local kind, length, quota = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
if kind == 'sliding' then
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - length)
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '(' .. now + length, '+inf')
  local count = redis.call('ZCARD', KEYS[1])
  local allowed = count < quota
  if allowed then
    redis.call('ZADD', KEYS[1], now, time[1] .. '.' .. time[2] .. '.' .. count)
    redis.call('PEXPIRE', KEYS[1], length)
    count = count + 1
  end
  local oldest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
  return { allowed and 1 or 0, quota - count, (oldest[2] or now) + length, now }
end
local window = redis.call('HMGET', KEYS[1], 'ends', 'count')
local ends, count = tonumber(window[1] or 0), tonumber(window[2] or 0)
if ends <= now or ends > now + length then
  local starts = kind == 'aligned' and now - now % length or now
  ends, count = starts + length, 0
end
local allowed = count < quota
if allowed then
  count = count + 1
  redis.call('HSET', KEYS[1], 'ends', ends, 'count', count)
  redis.call('PEXPIREAT', KEYS[1], ends)
end
return { allowed and 1 or 0, quota - count, ends, now }
`;
const scriptSha = createHash("sha1").update(script).digest("hex");

/** How long a request waits for Redis, in ms: longer than a busy machine takes, since counting alone admits too much. */
const patienceMs = 2_000;
/** How long Redis is left alone after it failed, in ms. */
const retryMs = 1_000;

/** What of a client, or of a cluster's, is used. */
interface Client {
  on(event: "error", listener: (error: unknown) => void): unknown;
  connect(): Promise<unknown>;
  /** False also for a cluster of which no node could be found at first: it does not look again by itself. */
  readonly isOpen: boolean;
  evalSha(sha: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  destroy(): void;
}

export interface RedisLimiter extends Limiter {
  close(): void;
}

/**
 * A limiter whose windows several processes share, in Redis or Valkey; several addresses, by commas, are those of one
 * cluster. `?prefix=NAME` names the windows of a deployment apart from others' on the same server. Policy where Redis is
 * gone: rate limits fail open as far as one process can see. A request waits at most 2 s, then this process counts alone
 * in its own memory, so that n processes admit at most n times the quota. It says so in one log line, lets one request a
 * second ask Redis again while the others do not wait, and goes back to the shared windows when Redis answers. Nothing
 * that concerns money is in Redis.
 * @throws Error with one sentence when the client is not installed or the address is none; not when Redis is gone.
 */
export async function connectRedisLimiter(
  options: LimiterOptions & { url: string; log: Logger },
): Promise<RedisLimiter> {
  const { windowSeconds, kind, log } = options;
  const urls = options.url.split(",").map((each) => each.trim());
  const client = await createClient(urls);
  const prefix = new URL(urls[0]!).searchParams.get("prefix") ?? "capability";
  const alone = createLimiter(options);
  const length = String(windowSeconds * 1000);
  // `due`: the next request asks whether Redis is back; `asked`: that request waits for the answer, no other does.
  let state: "shared" | "resting" | "due" | "asked" = "shared";

  const failed = (error: unknown): void => {
    if (state === "resting") return;
    if (state === "shared")
      log.error({ err: error }, "Redis does not answer: this process counts rate limits alone");
    state = "resting";
    // A timer, not the clock: one that is set back must not keep Redis from being asked.
    setTimeout(() => (state = "due"), retryMs).unref();
  };
  client.on("error", (error) => log.debug({ err: error }, "the connection to Redis failed"));
  const connected = client.connect();
  connected.catch(failed);
  await within(patienceMs, connected).catch(failed);

  const ask = async (bucket: string, quota: number): Promise<[number, number, number, number]> => {
    // Kind and length stand in the name, so that another setting finds windows of its own. Braces: one slot a bucket.
    const given = {
      keys: [`${prefix}:${kind}:${length}:{${bucket}}`],
      arguments: [kind, length, String(quota)],
    };
    if (!client.isOpen) await client.connect();
    try {
      return (await client.evalSha(scriptSha, given)) as [number, number, number, number];
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
      return (await client.eval(script, given)) as [number, number, number, number];
    }
  };

  return {
    async take(bucket, quota) {
      if (state === "resting" || state === "asked") return alone.take(bucket, quota);
      if (state === "due") state = "asked";
      try {
        const [allowed, remaining, endsAt, now] = await within(patienceMs, ask(bucket, quota));
        if (state !== "shared") log.info("Redis answers again: rate limits are shared");
        state = "shared";
        return allowance(allowed === 1, quota, remaining, endsAt, now);
      } catch (error) {
        failed(error);
        return alone.take(bucket, quota);
      }
    },
    close: () => client.destroy(),
  };
}

async function createClient(urls: readonly string[]): Promise<Client> {
  for (const url of urls) {
    if (!/^rediss?:\/\/[^/]/.test(url)) {
      throw new Error(
        `Redis address ${JSON.stringify(url)}: expected redis://host:port or rediss://host:port`,
      );
    }
  }
  let redis: typeof Redis;
  try {
    redis = await import("redis");
  } catch (cause) {
    throw new Error("REDIS_URL needs the package redis: run `npm install redis` and start again", { cause });
  }
  const socket = {
    connectTimeout: 2_000,
    reconnectStrategy: (tries: number) => Math.min(50 * 2 ** tries, retryMs),
  };
  const disableOfflineQueue = true;
  const client =
    urls.length === 1
      ? redis.createClient({ url: urls[0]!, socket, disableOfflineQueue })
      : redis.createCluster({
          rootNodes: urls.map((url) => ({ url })),
          defaults: { socket, disableOfflineQueue },
        });
  return client as unknown as Client;
}

/** What a promise comes to, or a refusal when it takes longer. */
async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  // When this process itself was busy, the answer may have arrived and stand behind the timer: it is read first.
  const giveUp = () => setImmediate(() => late.reject(new Error(`no answer within ${ms} ms`)));
  const timer = setTimeout(giveUp, ms);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
