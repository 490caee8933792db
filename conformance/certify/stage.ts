import { AsyncLocalStorage } from "node:async_hooks";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { isDeepStrictEqual } from "node:util";
import { isObject } from "../../base/data.ts";
import { basePath } from "../../generated/contract.ts";
import { struck } from "../../reference-server/chaos/strike.ts";
import { defaultConfig, type Config } from "../../reference-server/config.ts";
import { createLog, defaultParts } from "../../reference-server/parts-default.ts";
import type { Parts, Providers } from "../../reference-server/parts.ts";
import { startObjectStorage, type EmbeddedStorage } from "../../reference-server/results/object-storage.ts";
import { createServer } from "../../reference-server/server.ts";
import { onTheWire } from "../changes/wire.ts";
import { largeResult } from "./oddities.ts";
import { heard, copied } from "./recorder.ts";
import { Trial, type TrialPlan, type Run } from "./trial.ts";

/** A server that certifies clients. Each trial has its own account and port. */
export interface Stage {
  /** Runs a client once, and records everything it does. */
  perform(plan: TrialPlan, run: Run): Promise<Trial>;
  close(): Promise<void>;
}

/** Credits of each trial's account: more than a client spends in a run. */
const openingCredits = 10_000;

/** Makes a payload longer than the 20,480 bytes that a Call returns whole. */
const padding = "x".repeat(24 * 1024);

/** @param folder an empty folder for the server's data */
export async function openStage(folder: string): Promise<Stage> {
  const config: Config = {
    ...defaultConfig,
    dataFolder: folder,
    port: 0,
    objectStoragePort: 0,
    logLevel: "silent",
  };
  const { parts, close } = await defaultParts(config, { log: createLog("silent") });
  const current = new AsyncLocalStorage<Trial>();
  const trials = new Set<Trial>();
  /** Ports of the connections to the storage without a request so far. */
  const silent = new Set<number | undefined>();
  const results = await startResults(config, parts, {
    onRequest: (request, response) => {
      silent.delete(request.socket.remotePort);
      const trial = [...trials].find((trial) => trial.owns(request.url ?? ""));
      trial?.download(request, response, results.lasting.origin);
    },
    // Whose connection it was is unknown; all trials run the same command.
    onConnection: (socket) => {
      const { remotePort } = socket;
      silent.add(remotePort);
      socket.once("close", () => silent.delete(remotePort) && trials.forEach((trial) => trial.leave()));
    },
  });
  const server = createServer(config, {
    ...parts,
    providers: padded(parts.providers, () => current.getStore()),
    objects: {
      put: (...args) =>
        (current.getStore()?.result === "expired" ? results.expired : results.lasting).put(...args),
    },
  });
  const limits = { quotas: config.quotas, clock: parts.clock };

  /** One request of a trial: recorded outside the faults, so that the record shows what its client saw. */
  function serve(trial: Trial, request: IncomingMessage, response: ServerResponse): void {
    const sent = heard(request);
    const passing = trial.begin(request, sent, copied(response));
    response.on("finish", () => passing.written());
    response.on("close", () => passing.closed(response.writableFinished));
    const { strike, operation, oddity } = passing;
    const inner: http.RequestListener = (one, other) => {
      passing.tap(copied(other, () => passing.done()));
      current.run(trial, () => void server.app(one, other));
    };
    const odd =
      oddity === null
        ? inner
        : onTheWire(
            inner,
            async (asked, answer) => {
              const changed = (await oddity.wire?.(asked, answer)) ?? answer;
              if (!isDeepStrictEqual(changed, answer)) passing.meet();
              return changed;
            },
            oddity.inward,
          );
    if (strike === null) odd(request, response);
    else struck(odd, request, response, { strike, operation, limits });
  }

  const stage: Stage = {
    async perform(plan, run) {
      const account = await parts.accounts.create({ name: plan.name, email: null });
      const { apiKey: key } = await parts.accounts.addKey(account.id, "trial");
      await parts.books.move({
        accountId: account.id,
        entryType: "grant_payment_recharge",
        amount: openingCredits * 1_000_000,
        description: "Opening credits",
      });
      const trial = new Trial(plan);
      trials.add(trial);
      const listener = http.createServer((request, response) => serve(trial, request, response));
      listener.listen(0, "127.0.0.1");
      await once(listener, "listening");
      const { port } = listener.address() as AddressInfo;
      trial.baseUrl = `http://127.0.0.1:${port}${basePath}`;
      try {
        trial.ended = await run({ baseUrl: trial.baseUrl, key, caFile: results.bundle });
      } finally {
        listener.closeAllConnections();
        await new Promise((resolve) => listener.close(resolve));
      }
      await trial.settled();
      trials.delete(trial);
      trial.settle(await chargesOf(parts, trial.executions()));
      const { available, held } = await parts.books.balance(account.id);
      trial.spent = (openingCredits * 1_000_000 - available - held) / 1_000_000;
      return trial;
    },
    async close() {
      await server.stop();
      await Promise.all([results.lasting.close(), results.expired.close()]);
      await close();
    },
  };
  await stage.perform({ name: "warm-up", call: null, planned: [], oddity: largeResult }, warmUp);
  return stage;
}

/** Sends what a client may send, a few times: a server's first answers are slow, which no client is to be judged by. */
const warmUp: Run = async ({ baseUrl, key }) => {
  const ask = async (path: string, body?: object): Promise<unknown> => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const answer = await fetch(baseUrl + path, {
      headers,
      ...(body && { method: "POST", body: JSON.stringify(body) }),
    });
    return answer.json();
  };
  for (let time = 0; time < 5; time += 1) {
    const { search_id } = (await ask("/search", { query: "weather" })) as { search_id: string };
    await ask("/tools/by-ids", { tool_ids: [warmTool.tool_id], search_id });
    await ask("/tools/execute", { ...warmTool, search_id });
    await ask(`/auth/usage/history/v2?search_id=${search_id}`);
    await ask("/auth/credits/ledger");
  }
  return { status: 0, output: "", durationMs: 0 };
};

const warmTool = { tool_id: "weather.current.v1", parameters: { city: "Graz", units: "metric" } };

/** Two storages on one folder, one of which signs addresses that have expired; and the authorities that clients trust. */
async function startResults(
  config: Config,
  parts: Parts,
  heard: Pick<Parameters<typeof startObjectStorage>[0], "onRequest" | "onConnection">,
): Promise<{ lasting: EmbeddedStorage; expired: EmbeddedStorage; bundle: string }> {
  const settings = { folder: join(config.dataFolder, "results"), host: "127.0.0.1", port: 0, ...heard };
  const lasting = await startObjectStorage(settings, parts);
  await lasting.ready();
  const expired = await startObjectStorage({ ...settings, lifetimeMs: 0 }, parts);
  const bundle = join(config.dataFolder, "authorities.pem");
  await writeFile(bundle, [await readFile(lasting.caFile, "utf8"), ...rootCertificates].join("\n"));
  return { lasting, expired, bundle };
}

/** Makes the results of a trial too large where its plan says so. */
const padded = (providers: Providers, trial: () => Trial | undefined): Providers => ({
  async execute(tool, parameters) {
    const execution = await providers.execute(tool, parameters);
    const { data } = execution;
    if (!trial()?.result || !execution.success || !isObject(data)) return execution;
    trial()!.met = true;
    return { ...execution, data: { ...data, remarks: padding } };
  },
});

/** The credits that the books say each execution cost. */
async function chargesOf({ database }: Parts, executions: readonly string[]): Promise<Map<string, number>> {
  const rows = await database("usage_events")
    .select<{ execution_id: string; settled_amount: number }[]>("execution_id", "settled_amount")
    .whereIn("execution_id", executions);
  return new Map(rows.map((row) => [row.execution_id, Number(row.settled_amount) / 1_000_000]));
}
