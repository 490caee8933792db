import {
  fixedWindow,
  lawful,
  served,
  slidingLog,
  tokenBucket,
  type Decide,
  type Small,
} from "./limiters.fixture.ts";
import type { Incoming, Reply, Serve } from "./simulated.fixture.ts";

/** A limiter with one fault that was reported of a public one, and the finding that must name it. */
export interface Bug {
  /** The fault: a sentence without a subject. */
  does: string;
  /** The names of the findings that may report it; the run must have one of them and no other that fails. */
  names: readonly string[];
  /** Whether slow answers hide it. */
  onlyQuick?: boolean;
  /** What the finding must say besides its name. */
  says?: RegExp;
  make: (small: Small) => Serve;
}

const first = (small: Small): Serve => lawful["first-request"]!(small);

/** Changes the headers of a limiter's answers. */
const headers =
  (
    change: (
      headers: Record<string, string>,
      status: number,
      at: number,
    ) => Record<string, string | undefined>,
  ) =>
  (small: Small): Serve => {
    const serve = first(small);
    return (incoming) => {
      const reply = serve(incoming);
      const changed = { ...reply.headers, ...change(reply.headers, reply.status, incoming.at) };
      return {
        ...reply,
        headers: Object.fromEntries(
          Object.entries(changed).filter(([, value]) => value !== undefined),
        ) as Reply["headers"],
      };
    };
  };

const reset = (change: (seconds: number, at: number, status: number) => number | string) =>
  headers((all, status, at) => ({
    "x-ratelimit-reset": String(change(Number(all["x-ratelimit-reset"]), at, status)),
  }));
const left = (change: (remaining: number, limit: number, status: number) => number | string) =>
  headers((all, status) => ({
    "x-ratelimit-remaining": String(
      change(Number(all["x-ratelimit-remaining"]), Number(all["x-ratelimit-limit"]), status),
    ),
  }));
const retry = (change: (seconds: number, at: number) => number | string | undefined) =>
  headers((all, status, at) =>
    status === 429
      ? {
          "retry-after": ((value) => (value === undefined ? value : String(value)))(
            change(Number(all["retry-after"]), at),
          ),
        }
      : {},
  );

/** The same limiter with another quota, window or bucket, which still names its declared quota. */
const other =
  (change: (small: Small) => Partial<Small>) =>
  (small: Small): Serve => {
    const serve = first({ ...small, ...change(small) });
    return (incoming) => {
      const reply = serve(incoming);
      const remaining = Math.min(small.quota, Math.max(0, Number(reply.headers["x-ratelimit-remaining"])));
      return {
        ...reply,
        headers: {
          ...reply.headers,
          "x-ratelimit-limit": String(small.quota),
          "x-ratelimit-remaining": String(reply.status === 200 ? remaining : 0),
        },
      };
    };
  };

const by = (what: (incoming: Incoming) => string) => other(() => ({ bucketOf: what }));
const varying = (label: string) =>
  by(({ account, varied, index }) => (varied === label ? `${account} ${index}` : account));

/** Changes the status and body of refusals. */
const refuse =
  (status: number, body = "{}", bare = true) =>
  (small: Small): Serve => {
    const serve = first(small);
    return (incoming) => {
      const reply = serve(incoming);
      return reply.status === 429 ? { status, body, headers: bare ? {} : reply.headers } : reply;
    };
  };

const windowed = (make: (small: Small) => Decide) => (small: Small) => served(small, make(small));

/** Wraps a limiter's decision. */
const deciding = (make: (small: Small, decide: Decide) => Decide) =>
  windowed((small) =>
    make(
      small,
      fixedWindow(small, (at) => at),
    ),
  );

export const bugs: readonly Bug[] = [
  // Quotas.
  {
    does: "admits one more than the quota",
    names: ["admits-too-many"],
    make: other(({ quota }) => ({ quota: quota + 1 })),
  },
  {
    does: "admits a tenth more than the quota",
    names: ["admits-too-many"],
    make: other(({ quota }) => ({ quota: Math.ceil(1.1 * quota) })),
  },
  {
    does: "admits twice the quota",
    names: ["admits-too-many"],
    says: /twice the quota/,
    make: other(({ quota }) => ({ quota: 2 * quota })),
  },
  {
    does: "admits one less than the quota",
    names: ["refuses-too-early"],
    make: other(({ quota }) => ({ quota: quota - 1 })),
  },
  {
    does: "admits half of the quota",
    names: ["refuses-too-early"],
    make: other(({ quota }) => ({ quota: quota / 2 })),
  },
  {
    does: "does not count the first request of a window",
    names: ["admits-too-many", "remaining-not-used-up"],
    make: deciding(({ quota, windowSeconds }) => {
      const windows = new Map<string, { endsAt: number; count: number }>();
      return (bucket, at) => {
        let window = windows.get(bucket);
        if (window === undefined || window.endsAt <= at) {
          windows.set(bucket, (window = { endsAt: at + 1000 * windowSeconds, count: 0 }));
          return { allowed: true, left: quota, resetsAt: window.endsAt, waitMs: window.endsAt - at };
        }
        const allowed = window.count < quota;
        if (allowed) window.count += 1;
        return { allowed, left: quota - window.count, resetsAt: window.endsAt, waitMs: window.endsAt - at };
      };
    }),
  },
  {
    does: "loses count of simultaneous requests",
    names: ["admits-too-many", "never-refuses"],
    make: deciding((_, decide) => {
      let [skip, before] = [0, -Infinity];
      let last = decide("none", 0);
      return (bucket, at) => {
        const together = at - before < 5;
        before = at;
        if (together) skip += 1;
        if (together && skip % 3 !== 0) return last;
        return (last = decide(bucket, at));
      };
    }),
  },
  {
    does: "never refuses",
    names: ["remaining-stuck", "never-refuses", "admits-too-many"],
    make: other(() => ({ quota: 1e9 })),
  },
  {
    does: "restores only half of a used-up quota",
    names: ["refuses-too-early"],
    make: (small) => {
      const [whole, half] = [
        fixedWindow(small, (at) => at),
        fixedWindow({ ...small, quota: small.quota / 2 }, (at) => at),
      ];
      const ended = new Map<string, number>();
      return served(small, (bucket, at) => {
        const until = ended.get(bucket);
        const decision = until !== undefined && at >= until ? half(bucket, at) : whole(bucket, at);
        if (!decision.allowed && until === undefined) ended.set(bucket, decision.resetsAt);
        return decision;
      });
    },
  },
  {
    does: "keeps a separate count in each of two processes",
    names: ["admits-too-many"],
    says: /twice the quota/,
    make: by(({ account, index }) => `${account} ${index % 2}`),
  },
  {
    does: "keeps a separate count in each of four processes",
    names: ["never-refuses", "admits-too-many"],
    says: /counts, by process, worker or address/,
    make: by(({ account, index }) => `${account} ${index % 4}`),
  },
  {
    does: "does not count in one of three processes",
    names: ["never-refuses", "admits-too-many"],
    says: /requests that are not counted/,
    make: (small) => {
      const [counting, idle] = [first(small), first({ ...small, bucketOf: ({ index }) => String(index) })];
      return (incoming) => (incoming.index % 3 === 0 ? idle : counting)(incoming);
    },
  },
  {
    does: "restarts its count in the middle of a burst",
    names: ["admits-too-many"],
    says: /restart/,
    make: (small) => {
      let serve = first(small);
      return (incoming) => {
        if (incoming.index === Math.floor(0.6 * small.quota)) serve = first(small);
        return serve(incoming);
      };
    },
  },
  {
    does: "fails open for every tenth request",
    names: ["admits-too-many"],
    says: /fail open/,
    make: (small) => {
      const serve = first(small);
      return (incoming) => (incoming.index % 10 === 0 ? { status: 200, headers: {} } : serve(incoming));
    },
  },
  // Windows.
  {
    does: "has windows of twice the length",
    names: ["window-too-long"],
    make: other(({ windowSeconds }) => ({ windowSeconds: 2 * windowSeconds })),
  },
  {
    does: "has windows of half the length",
    names: ["window-too-short"],
    make: other(({ windowSeconds }) => ({ windowSeconds: windowSeconds / 2 })),
  },
  {
    does: "has aligned windows of twice the length",
    names: ["window-too-long"],
    make: (small) => lawful["aligned"]!({ ...small, windowSeconds: 2 * small.windowSeconds }),
  },
  {
    does: "has aligned windows of half the length",
    names: ["window-too-short"],
    make: (small) => lawful["aligned"]!({ ...small, windowSeconds: small.windowSeconds / 2 }),
  },
  {
    does: "has windows that are a fifth shorter than its Reset says",
    names: ["window-too-short", "reset-too-late"],
    make: (small) => {
      const serve = first({ ...small, windowSeconds: 0.8 * small.windowSeconds });
      return (incoming) => {
        const reply = serve(incoming);
        const add = (name: string) => String(Number(reply.headers[name]) + 0.2 * small.windowSeconds);
        return { ...reply, headers: { ...reply.headers, "x-ratelimit-reset": add("x-ratelimit-reset") } };
      };
    },
  },
  {
    does: "bans for two windows",
    names: ["window-too-long"],
    make: deciding(({ windowSeconds }, decide) => {
      const banned = new Map<string, number>();
      return (bucket, at) => {
        const until = banned.get(bucket) ?? 0;
        if (at < until) return { allowed: false, left: 0, resetsAt: until, waitMs: until - at };
        const decision = decide(bucket, at);
        if (decision.allowed) return decision;
        banned.set(bucket, at + 2000 * windowSeconds);
        return { allowed: false, left: 0, resetsAt: at + 2000 * windowSeconds, waitMs: 2000 * windowSeconds };
      };
    }),
  },
  {
    does: "extends a window with each refusal",
    names: ["window-too-long", "window-never-ends"],
    says: /prolong/,
    make: deciding(({ quota, windowSeconds }) => {
      const windows = new Map<string, { endsAt: number; count: number }>();
      return (bucket, at) => {
        let window = windows.get(bucket);
        if (window === undefined || window.endsAt <= at)
          windows.set(bucket, (window = { endsAt: at + 1000 * windowSeconds, count: 0 }));
        window.count += 1;
        const allowed = window.count <= quota;
        if (!allowed) window.endsAt = at + 1000 * windowSeconds;
        return { allowed, left: quota - window.count, resetsAt: window.endsAt, waitMs: window.endsAt - at };
      };
    }),
  },
  {
    does: "begins a block anew with each refusal",
    names: ["window-too-long", "window-never-ends"],
    says: /begin a block anew|prolong/,
    make: deciding(({ windowSeconds }, decide) => {
      const blocked = new Map<string, number>();
      const waitMs = 3000 * windowSeconds;
      return (bucket, at) => {
        const isBlocked = at < (blocked.get(bucket) ?? 0);
        const decision = isBlocked ? null : decide(bucket, at);
        if (decision?.allowed) return decision;
        blocked.set(bucket, at + waitMs);
        return { allowed: false, left: 0, resetsAt: at + waitMs, waitMs };
      };
    }),
  },
  {
    does: "counts refusals in a sliding window",
    names: [
      "window-too-long",
      "window-never-ends",
      "refuses-too-early",
      "retry-after-too-short",
      "reset-too-early",
    ],
    make: (small) => {
      const log = new Map<string, number[]>();
      return served(small, (bucket, at) => {
        const kept = (log.get(bucket) ?? []).filter((time) => time > at - 1000 * small.windowSeconds);
        kept.push(at);
        log.set(bucket, kept);
        const allowed = kept.length <= small.quota;
        const resetsAt = kept[0]! + 1000 * small.windowSeconds;
        return { allowed, left: small.quota - kept.length, resetsAt, waitMs: resetsAt - at };
      });
    },
  },
  {
    does: "never ends a window",
    names: ["window-never-ends"],
    make: deciding((_, decide) => {
      const ended = new Set<string>();
      return (bucket, at) => {
        const decision = decide(bucket, at);
        if (!decision.allowed) ended.add(bucket);
        return ended.has(bucket) ? { ...decision, allowed: false, left: 0 } : decision;
      };
    }),
  },
  {
    does: "refills twice as fast as declared",
    onlyQuick: true,
    names: ["admits-too-many"],
    make: (small) => served(small, tokenBucket(small, (2 * small.quota) / small.windowSeconds)),
  },
  {
    does: "refills half as fast as declared",
    names: ["refuses-too-early", "window-too-long"],
    make: (small) => served(small, tokenBucket(small, small.quota / small.windowSeconds / 2)),
  },
  {
    does: "holds a tenth of the quota and refills evenly",
    names: ["refuses-too-early"],
    make: (small) => {
      const bucket = tokenBucket({ ...small, quota: small.quota / 10 }, small.quota / small.windowSeconds);
      return served(small, bucket);
    },
  },
  // Keys.
  { does: "counts each key separately", names: ["counts-keys-apart"], make: varying("key of the account") },
  {
    does: "counts each User-Agent separately",
    names: ["counts-apart-by-user-agent"],
    make: varying("User-Agent"),
  },
  {
    does: "counts each X-Forwarded-For separately",
    names: ["counts-apart-by-x-forwarded-for"],
    make: varying("X-Forwarded-For"),
  },
  { does: "counts all accounts together", names: ["accounts-share-a-quota"], make: by(() => "all") },
  // Refusals.
  { does: "refuses with 503", names: ["refuses-with-another-status"], says: /503 after/, make: refuse(503) },
  { does: "refuses with 403", names: ["refuses-with-another-status"], says: /403 after/, make: refuse(403) },
  {
    does: "refuses with an error in a 200",
    names: ["refuses-with-another-status"],
    says: /200 with an error/,
    make: refuse(200, '{"error":"rate limited"}'),
  },
  {
    does: "counts the same key separately if the case of its scheme differs",
    names: ["counts-apart-by-case-of-the-scheme"],
    make: varying("case of the scheme"),
  },
  {
    does: "counts each address, with its query, separately",
    names: ["counts-apart-by-address"],
    make: varying("address"),
  },
  {
    does: "counts each session separately",
    names: ["counts-apart-by-session-id"],
    make: varying("session_id"),
  },
  // Retry-After.
  { does: "sends a negative Retry-After", names: ["LIMI-16"], make: retry((seconds) => -seconds) },
  { does: "sends a fraction as Retry-After", names: ["LIMI-16"], make: retry((seconds) => seconds - 0.25) },
  {
    does: "rounds Retry-After down",
    names: ["retry-after-rounded-down", "retry-after-zero"],
    make: retry((seconds) => Math.max(0, seconds - 1)),
  },
  { does: "sends Retry-After 0", names: ["retry-after-zero"], make: retry(() => 0) },
  { does: "sends Retry-After 1", names: ["retry-after-too-short"], make: retry(() => 1) },
  {
    does: "sends half of Retry-After",
    names: ["retry-after-too-short"],
    make: retry((seconds) => Math.ceil(seconds / 2)),
  },
  {
    does: "sends Retry-After in milliseconds",
    names: ["retry-after-in-milliseconds"],
    make: retry((seconds) => 1000 * seconds),
  },
  {
    does: "sends Retry-After as a time",
    names: ["retry-after-epoch"],
    make: retry((seconds, at) => Math.ceil(at / 1000) + seconds),
  },
  {
    does: "sends Retry-After as a date",
    names: ["retry-after-date"],
    make: retry((seconds, at) => new Date(at + 1000 * seconds).toUTCString()),
  },
  { does: "leaves Retry-After out", names: ["retry-after-missing"], make: retry(() => undefined) },
  // Reset.
  {
    does: "sends Reset in milliseconds",
    names: ["reset-in-milliseconds"],
    make: reset((seconds) => 1000 * seconds),
  },
  {
    does: "sends a Reset five seconds late",
    names: ["reset-too-late", "reset-beyond-window"],
    make: reset((seconds) => seconds + 5),
  },
  {
    does: "sends a Reset five seconds early",
    // Shortly before the window ends, it has passed.
    names: ["reset-too-early", "LIMI-15"],
    make: reset((seconds) => seconds - 5),
  },
  {
    does: "moves the Reset on with each answer",
    names: ["reset-drifts", "reset-too-late"],
    make: (small) => reset((_, at) => Math.ceil(at / 1000) + small.windowSeconds)(small),
  },
  {
    does: "has a second clock, four seconds ahead",
    names: ["reset-drifts", "reset-too-late", "reset-beyond-window"],
    make: (small) => {
      let turn = 0;
      return reset((seconds) => {
        turn += 1;
        return turn % 2 === 0 ? seconds + 4 : seconds;
      })(small);
    },
  },
  {
    does: "sends the seconds from now as Reset",
    names: ["reset-in-seconds-from-now"],
    make: reset((seconds, at) => Math.max(0, seconds - Math.floor(at / 1000))),
  },
  {
    does: "sends a date as Reset",
    names: ["LIMI-15"],
    make: reset((seconds) => new Date(1000 * seconds).toUTCString()),
  },
  {
    does: "sends a timestamp as Reset",
    names: ["LIMI-15"],
    make: reset((seconds) => new Date(1000 * seconds).toISOString()),
  },
  { does: "sends a fraction as Reset", names: ["LIMI-15"], make: reset((seconds) => `${seconds - 1}.25`) },
  {
    does: "sends a Reset that has passed",
    names: ["LIMI-15", "reset-too-early"],
    make: reset((seconds) => seconds - 90),
  },
  // Limit and Remaining.
  {
    does: "sends its limit as a list",
    names: ["LIMI-13"],
    make: headers((all) => ({ "x-ratelimit-limit": `${all["x-ratelimit-limit"]}, 60;w=60` })),
  },
  {
    does: "sends a negative Remaining",
    names: ["LIMI-14", "LIMI-17"],
    make: left((remaining, _, status) => (status === 429 ? -1 : remaining)),
  },
  {
    does: "sends a fraction as Remaining",
    names: ["LIMI-14"],
    make: left((remaining, _, status) => (status === 429 ? 0 : remaining + 0.5)),
  },
  {
    does: "sends a different Limit",
    names: ["another-quota"],
    make: headers(() => ({ "x-ratelimit-limit": "60" })),
  },
  {
    does: "always sends the same Remaining",
    names: ["remaining-stuck"],
    make: left((_, limit, status) => (status === 429 ? 0 : limit - 1)),
  },
  {
    does: "sends one more than remains",
    names: ["remaining-not-used-up"],
    make: left((remaining, _, status) => (status === 429 ? 0 : remaining + 1)),
  },
  {
    does: "sends a Remaining that counts only every other request",
    names: ["counter-loses-requests"],
    make: left((remaining, limit, status) =>
      status === 429 ? 0 : limit - Math.ceil((limit - remaining) / 2),
    ),
  },
  {
    does: "has no rate-limit header",
    names: ["headers-never-shown"],
    make: headers(() => ({
      "x-ratelimit-limit": undefined,
      "x-ratelimit-remaining": undefined,
      "x-ratelimit-reset": undefined,
    })),
  },
];

/** Limiters that do something unusual which the contract permits. */
export const oddities: readonly Pick<Bug, "does" | "make">[] = [
  {
    does: "sends a Reset that differs by a second",
    make: reset((seconds, at) => seconds + (Math.floor(at) % 3 === 0 ? 1 : 0)),
  },
  {
    does: "sends the headers only on admitted requests",
    make: headers((_, status) =>
      status === 429
        ? {
            "x-ratelimit-limit": undefined,
            "x-ratelimit-remaining": undefined,
            "x-ratelimit-reset": undefined,
          }
        : {},
    ),
  },
  {
    does: "sends the headers only on refusals",
    make: headers((_, status) =>
      status === 429
        ? {}
        : {
            "x-ratelimit-limit": undefined,
            "x-ratelimit-remaining": undefined,
            "x-ratelimit-reset": undefined,
          },
    ),
  },
  {
    does: "sends Retry-After on admitted requests",
    make: headers((_, status) => (status === 200 ? { "retry-after": "0" } : {})),
  },
  {
    does: "counts refusals in a fixed window",
    make: windowed((small) => {
      const decide = fixedWindow({ ...small, quota: 1e9 }, (at) => at);
      return (bucket, at) => {
        const decision = decide(bucket, at);
        const left = small.quota - (1e9 - decision.left);
        return { ...decision, allowed: left >= 0, left };
      };
    }),
  },
  {
    does: "keeps its windows in whole seconds",
    make: (small) =>
      served(
        small,
        fixedWindow(small, (at) => 1000 * Math.floor(at / 1000)),
      ),
  },
  { does: "rounds Reset down", make: (small) => reset((seconds) => seconds - 1)(small) },
  {
    does: "gives whole requests back to a bucket at ticks of half a second",
    make: (small) => {
      const decide = tokenBucket(small);
      return served(small, (bucket, at) => decide(bucket, 500 * Math.floor(at / 500)));
    },
  },
  {
    does: "restores a sliding window whole seconds later",
    make: windowed((small) => {
      const decide = slidingLog(small);
      return (bucket, at) => decide(bucket, 1000 * Math.floor(at / 1000));
    }),
  },
];
