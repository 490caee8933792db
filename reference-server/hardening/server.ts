import { readFileSync } from "node:fs";
import type { Config } from "../config.ts";
import { serveReference } from "./serving.ts";

/*
 * The reference server in its own process: `node reference-server/hardening/server.ts CONFIG`, with its configuration as
 * JSON. It tells its memory in bytes: the size now, and the largest so far.
 */
await serveReference(JSON.parse(process.argv[2]!) as Config, {
  answers: {
    memory: () => ({
      now: process.memoryUsage.rss(),
      most: 1_024 * mostKibibytes(),
    }),
  },
});

/** The most memory that this program held; the system's own figure may be that of the process that started it. */
function mostKibibytes(): number {
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))![1]);
  } catch {
    return process.resourceUsage().maxRSS;
  }
}
