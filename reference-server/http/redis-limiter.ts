import { createHash } from "node:crypto";
import type { Logger } from "pino";
import type { Limiter } from "../parts.ts";
import { allowance, createLimiter } from "./limiter.ts";
import type { LimiterOptions } from "./limiter.ts";

/**
 * Counts one request atomically, by the Redis server's clock: KEYS[1] is the bucket; ARGV holds the kind of window, its
 * length in ms and the quota. Returns whether the request is admitted, how many remain, the end of the window, and the
 * current time, both in epoch ms. Refused requests do not count. A window that ends too far ahead was started before
 * the clock was set back, and starts again.
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

/** How long a request waits for Redis, in ms: more than a busy machine needs, since separate counts admit too much. */
const patienceMs = 2_000;
/** Pause in ms before Redis is tried again after a failure. */
const retryMs = 1_000;

/** The methods in use of a client, or of a cluster's client. */
interface Client {
  on(event: "error", listener: (error: unknown) => void): unknown;
  connect(): Promise<unknown>;
  /** Also false for a cluster without a reachable node at first: the client does not look again by itself. */
  readonly isOpen: boolean;
  evalSha(sha: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  destroy(): void;
}

export interface RedisLimiter extends Limiter {
  /** Whether this process counts by itself, since Redis does not answer. */
  readonly countsAlone: boolean;
  close(): void;
}

/**
 * A limiter whose windows several processes share in Redis or Valkey; several addresses separated by commas form one
 * cluster. `?prefix=NAME` separates the windows of deployments on the same server. If Redis is unavailable, rate limits
 * fail open, but each process still counts: a request waits at most 2 s, then its process counts in its own memory.
 * So n processes admit at most n times the quota. The process logs this once, lets one request per second try Redis
 * again without delaying the others, and returns to the shared windows when Redis answers. Redis holds nothing that
 * concerns money.
 * @throws Error if the address is invalid; not if Redis is unavailable
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
  // `due`: the next request tries Redis again; `asked`: that request is waiting, and no other tries.
  let state: "shared" | "resting" | "due" | "asked" = "shared";

  const failed = (error: unknown): void => {
    if (state === "resting") return;
    if (state === "shared")
      log.error({ err: error }, "Redis does not answer: this process counts rate limits alone");
    state = "resting";
    // A timer rather than the clock, so that setting the clock back does not delay the next try.
    setTimeout(() => (state = "due"), retryMs).unref();
  };
  client.on("error", (error) => log.debug({ err: error }, "the connection to Redis failed"));
  const connected = client.connect();
  connected.catch(failed);
  await within(patienceMs, connected).catch(failed);

  const ask = async (bucket: string, quota: number): Promise<[number, number, number, number]> => {
    // Kind and length are part of the name, so that other settings use other windows. The braces put a bucket in one
    // slot.
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
    get countsAlone() {
      return state !== "shared";
    },
    async take(bucket, quota) {
      if (state === "resting" || state === "asked") return alone.take(bucket, quota);
      if (state === "due") state = "asked";
      try {
        const answer = await within(patienceMs, ask(bucket, quota));
        const [allowed, remaining, endsAt, now] = answer;
        if (!isPossible(answer, quota, windowSeconds * 1000)) throw new Error("Redis answers something else");
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

/** Whether the script can have given this answer; something else may be at the address. */
const isPossible = (answer: readonly unknown[], quota: number, length: number): boolean => {
  const [allowed, remaining, endsAt, now] = answer as number[];
  return (
    answer.length === 4 &&
    answer.every((number) => Number.isSafeInteger(number)) &&
    (allowed === 0 || allowed === 1) &&
    remaining! <= quota &&
    endsAt! > now! &&
    endsAt! <= now! + length
  );
};

async function createClient(urls: readonly string[]): Promise<Client> {
  for (const url of urls) {
    if (!/^rediss?:\/\/[^/]/.test(url)) {
      // The address is not repeated: however it is mistyped, it may hold a password.
      throw new Error("REDIS_URL must be redis://host:port or rediss://host:port");
    }
  }
  const redis = await import("@redis/client");
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

/** Resolves like a promise, or rejects after a timeout. */
async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  // If this process itself was busy, the answer may be queued behind the timer, so it is read first.
  const giveUp = () => setImmediate(() => late.reject(new Error(`no answer within ${ms} ms`)));
  const timer = setTimeout(giveUp, ms);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
