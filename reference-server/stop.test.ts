import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { sampleTools } from "./catalog/sample-roles.ts";
import { defaultConfig } from "./config.ts";
import { baseUrl, createLog, defaultParts } from "./parts-default.ts";
import type { Providers } from "./parts.ts";
import { createServer } from "./server.ts";

it("settles a call whose client has left before it stops", async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), "stop-"));
  const config = { ...defaultConfig, dataFolder };
  const { parts, close } = await defaultParts(config, { log: createLog("silent") });
  const asked = Promise.withResolvers<undefined>();
  const left = Promise.withResolvers<undefined>();
  const providers: Providers = {
    async execute(tool, parameters) {
      asked.resolve(undefined);
      await left.promise;
      return parts.providers.execute(tool, parameters);
    },
  };
  const server = createServer(config, { ...parts, providers });
  const base = baseUrl(config.host, await server.start(0));
  const { account, apiKey } = await parts.accounts.registerTrial(null);
  const client = new AbortController();
  const { id, parameters } = sampleTools.charged;
  const call = fetch(`${base}/tools/execute`, {
    method: "POST",
    headers: { Authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ tool_id: id, parameters }),
    signal: client.signal,
  });
  await asked.promise;
  client.abort();
  await expect(call).rejects.toThrow("aborted");

  const stopped = server.stop();
  left.resolve(undefined);
  await stopped;
  expect(await parts.books.balance(account.id)).toMatchObject({ held: 0, available: 49_000_000 });
  await close();
  await rm(dataFolder, { recursive: true });
});
