import type { RequestListener } from "node:http";
import type { Config } from "../config.ts";
import type { Parts } from "../parts.ts";
import { createServer, type Server, type ServerOptions } from "../server.ts";
import { Faults } from "./faults.ts";
import { unfriendly } from "./listener.ts";
import { unreliable } from "./providers.ts";

/**
 * The server of a configuration with lawful faults, for testing clients. The same seed repeats the same run for a
 * client that sends the same requests in the same order.
 */
export function createUnfriendlyServer(
  config: Config,
  parts: Parts,
  seed: string,
  options: ServerOptions = {},
): { server: Server; faults: Faults } {
  const faults = new Faults(seed, config.dataFolder, parts.log);
  const server = createServer(
    config,
    { ...parts, providers: unreliable(parts.providers, faults) },
    { ...options, beside: [...(options.beside ?? []), faults.beside] },
  );
  const [listener] = server.listener.listeners("request") as RequestListener[];
  server.listener.removeAllListeners("request");
  server.listener.on("request", unfriendly(listener!, faults, { quotas: config.quotas, clock: parts.clock }));
  return { server, faults };
}
