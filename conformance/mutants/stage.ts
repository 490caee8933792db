import { cp, mkdtemp, rm } from "node:fs/promises";
import type { RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { operations } from "../../reference-server/operations/index.ts";
import { baseUrl, createLog, defaultParts } from "../../reference-server/parts-default.ts";
import { createServer } from "../../reference-server/server.ts";
import { demoConfig } from "../demo/config.ts";
import { furnish } from "../demo/furnish.ts";
import type { Profile } from "../target/profile.ts";
import type { Change } from "./mutant.ts";
import { onTheWire } from "./wire.ts";

/** A furnished data folder, from which each changed server gets a copy of its own. */
export interface Template {
  /** Starts the reference server with one change, and hands its profile to `use`. */
  perform<T>(change: Change, use: (profile: Profile) => Promise<T>): Promise<T>;
  remove(): Promise<void>;
}

/** Furnishes a data folder once, so that hundreds of servers can start from it. */
export async function template(): Promise<Template> {
  const root = await mkdtemp(join(tmpdir(), "capability-contract-mutants-"));
  const original = join(root, "original");
  const furnished = await furnish(demoConfig(original));
  let count = 0;

  return {
    async perform(change, use) {
      const folder = join(root, String((count += 1)));
      await cp(original, folder, { recursive: true });
      // What a mutant breaks must reach the judge: the server's own validation of answers would hide it.
      const config = {
        ...demoConfig(folder),
        brokenAnswers: "report" as const,
        logLevel: "silent",
        ...change.config,
      };
      const { parts, close } = await defaultParts(config, { log: createLog("silent") });
      const server = createServer(config, change.parts?.(parts) ?? parts, {
        operations: change.operations?.(operations) ?? operations,
      });
      if (change.wire) {
        const [listener] = server.listener.listeners("request") as RequestListener[];
        server.listener.removeAllListeners("request");
        server.listener.on("request", onTheWire(listener!, change.wire));
      }
      try {
        const port = await server.start();
        return await use({
          ...structuredClone(furnished),
          base_url: baseUrl(config.host, port),
          mailbox: { directory: join(folder, "outbox") },
          object_storage: { ca: join(folder, "results", "ca.pem") },
          limits: { ...config.quotas, window: config.windowSeconds },
        });
      } finally {
        await server.stop();
        await close();
        await rm(folder, { recursive: true, force: true });
      }
    },
    remove: () => rm(root, { recursive: true, force: true }),
  };
}
