import { cp, mkdtemp, rm } from "node:fs/promises";
import type { RequestListener, Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLimiter } from "../../reference-server/http/limiter.ts";
import { operations } from "../../reference-server/operations/index.ts";
import { baseUrl, createLog, defaultParts } from "../../reference-server/parts-default.ts";
import { clockPath } from "../../reference-server/test-clock.ts";
import { createServer, type Server as ReferenceServer } from "../../reference-server/server.ts";
import { demoConfig } from "../run/demo/config.ts";
import { furnish } from "../run/demo/furnish.ts";
import type { Profile } from "../server/profile.ts";
import { together, type Change } from "../changes/mutant.ts";
import { furnishPlain, type PlainKeys } from "./barren.ts";
import { onTheWire, type Wire } from "../changes/wire.ts";

/** Runs changed servers, one after another. */
export interface Stage {
  /** Starts the reference server with one change and passes its profile to `use`. */
  perform<T>(change: Change, use: (profile: Profile, dataFolder: string) => Promise<T>): Promise<T>;
  /** Keys of accounts without a history, for barren stages. */
  plainKeys: PlainKeys;
  close(): Promise<void>;
}

interface Started {
  profile: Profile;
  dataFolder: string;
  /** Sets the change to requests and answers in transit, from now on. */
  setWire: (change: Change) => void;
  stop: () => Promise<void>;
}

/** Whether a change is inside the server, and not on the wire only. */
export const needsOwnServer = ({ config, parts, operations, contract, apart }: Change): boolean =>
  [config, parts, operations, contract].some((part) => part !== undefined) ||
  (apart !== undefined && needsOwnServer(apart.change));

/** More than the reads of any variation are late. */
const lagSeconds = 2;

/** The maximum number of changes that share a server: each run leaves it with fewer credits and longer lists. */
const maxShared = 20;

const unchanged: Wire = (_, answer) => answer;

/** Starts a server with a change on its own data folder, which is removed when it stops. */
async function startChanged(change: Change, folder: string, furnished: Profile): Promise<Started> {
  const config = {
    ...demoConfig(folder),
    // Disable the server's validation of answers, which would hide the mutant's fault from the judge.
    brokenAnswers: "report" as const,
    logLevel: "silent",
    ...change.config,
  };
  const { parts, close } = await defaultParts(config, { log: createLog("silent") });
  const changed = ({ parts: partsOf, operations: operationsOf, contract }: Change): ReferenceServer =>
    createServer(config, partsOf?.(parts) ?? parts, {
      operations: operationsOf?.(operations) ?? operations,
      ...(contract && { contract }),
    });
  const server = changed(change);
  const { apart } = change;
  const hasTwo = apart !== undefined && needsOwnServer(apart.change);
  const setWire = rewire(
    server.listener,
    hasTwo ? changed(together(change, apart.change)).listener : server.listener,
    change,
  );
  const port = await server.start();
  return {
    profile: {
      ...structuredClone(furnished),
      base_url: baseUrl(config.host, port),
      // The delay is not measured again for each mutant. A failed check is judged again that much later.
      audit_lag: lagSeconds,
      clock: { url: new URL(clockPath, baseUrl(config.host, port)).href },
      mailbox: { directory: join(folder, "outbox") },
      object_storage: { ca: join(folder, "results", "ca.pem") },
      limits: { ...config.quotas, window: config.windowSeconds },
    },
    dataFolder: folder,
    setWire,
    stop: async () => {
      await server.stop();
      await close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Inserts a change between a server and its clients; the returned function replaces it.
 * @param apart answers for the process that a change of one process is of
 */
function rewire(server: Server, apart: Server, change: Change): (change: Change) => void {
  const [all, one] = [wired(server), wired(apart)];
  let { of = Infinity } = change.apart ?? {};
  let requests = 0;
  const set = (next: Change): void => {
    all.set(next);
    one.set(next.apart === undefined ? next : together(next, next.apart.change));
    of = next.apart?.of ?? Infinity;
  };
  set(change);
  server.removeAllListeners("request");
  server.on("request", (request, response) => {
    requests += 1;
    (requests % of === 0 ? one : all).listener(request, response);
  });
  return set;
}

/** What a server does with a request, with a change to both in transit that can be replaced. */
function wired(server: Server): { listener: RequestListener; set: (change: Change) => void } {
  let { wire = unchanged, inward }: Change = {};
  const [listener] = server.listeners("request") as RequestListener[];
  const out: Wire = (request, answer) => wire(request, answer);
  const onlyOut = onTheWire(listener!, out);
  const bothWays = onTheWire(listener!, out, (request, body) => inward?.(request, body) ?? null);
  return {
    listener(request, response) {
      if (inward !== undefined) bothWays(request, response);
      else (wire === unchanged ? listener! : onlyOut)(request, response);
    },
    set: (change) => ({ wire = unchanged, inward } = change),
  };
}

/**
 * Prepares a data folder once. A change inside the server gets its own server on a copy of the folder; changes on the
 * wire share one server, since they cannot corrupt it.
 * @param prepare writes into the folder before it is furnished
 */
export async function openStage(prepare?: (dataFolder: string) => Promise<void>): Promise<Stage> {
  const root = await mkdtemp(join(tmpdir(), "capability-contract-mutants-"));
  const original = join(root, "original");
  await prepare?.(original);
  const furnished = await furnish(demoConfig(original));
  const plainKeys = await furnishPlain(demoConfig(original));
  let count = 0;
  let [performed, sharing] = [0, 0];
  let shared: Promise<Started & { forgetWindows: () => void }> | undefined;

  async function start(change: Change): Promise<Started> {
    const folder = join(root, String((count += 1)));
    await cp(original, folder, { recursive: true });
    return startChanged(change, folder, furnished);
  }

  async function startShared(): Promise<Started & { forgetWindows: () => void }> {
    let forgetWindows = (): void => undefined;
    const started = await start({
      parts: (parts) => {
        const fresh = () => createLimiter({ clock: parts.clock, windowSeconds: 60, kind: "aligned" });
        let limiter = fresh();
        forgetWindows = () => (limiter = fresh());
        return { ...parts, limiter: { take: (bucket, quota) => limiter.take(bucket, quota) } };
      },
    });
    // Accounts and tokens that a leap of the clock ends would be missing for the next change.
    delete started.profile.clock;
    return { ...started, forgetWindows: () => forgetWindows() };
  }

  return {
    plainKeys,
    async perform(change, use) {
      const profileOf = change.profile ?? ((profile: Profile) => profile);
      if (needsOwnServer(change)) {
        const started = await start(change);
        try {
          return await use(profileOf(started.profile), started.dataFolder);
        } finally {
          await started.stop();
        }
      }
      if (performed >= maxShared && sharing === 0) {
        await (await shared)?.stop();
        shared = undefined;
        performed = 0;
      }
      performed += 1;
      const common = await (shared ??= startShared());
      common.forgetWindows();
      common.setWire(change);
      sharing += 1;
      try {
        return await use(profileOf(common.profile), common.dataFolder);
      } finally {
        sharing -= 1;
      }
    },
    async close() {
      await (await shared)?.stop();
      await rm(root, { recursive: true, force: true });
    },
  };
}
