import "../../reference-server/pretenuring.ts";
import { readFileSync } from "node:fs";
import type { Config } from "../../reference-server/config.ts";
import { baseUrl, defaultParts } from "../../reference-server/parts-default.ts";
import type { Parts } from "../../reference-server/parts.ts";
import { createServer } from "../../reference-server/server.ts";

/** The answers of a process to the program that started it, by question. */
export type Answers = Readonly<Record<string, (given: never) => unknown>>;

/** The answers of every process. */
const common: Answers = {
  /** CPU time that it has used, in microseconds. */
  cpu() {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
  /** Its memory in bytes: the size now, and the largest so far. */
  memory: () => ({ now: process.memoryUsage.rss(), most: 1_024 * peakKibibytes() }),
};

/** The most memory that this program held; the system's own figure may be that of the process that started it. */
function peakKibibytes(): number {
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))![1]);
  } catch {
    return process.resourceUsage().maxRSS;
  }
}

/**
 * Reports what the program that started this process awaits, answers its questions, and ends when it asks or is gone.
 * started.ts is the other half.
 */
export function serve(said: object, stop: () => Promise<void>, answers: Answers = {}): void {
  const end = (): void => void stop().then(() => process.exit(0));
  process.on("message", ([question, given]: [string, never]) => {
    if (question === "stop") return end();
    const answer = (answers[question] ?? common[question])!;
    void Promise.resolve(answer(given)).then((value) => process.send!({ value }));
  });
  process.on("disconnect", end);
  process.send!(said);
}

/**
 * Serves the reference server of a configuration, and reports its address as `baseUrl`.
 * @param changes.given parts instead of the default ones
 * @param changes.alter wraps the parts
 */
export async function serveReference(
  config: Config,
  changes: {
    given?: Parameters<typeof defaultParts>[1];
    alter?: (parts: Parts) => Parts;
    answers?: Answers;
  } = {},
): Promise<void> {
  const { parts, close } = await defaultParts(config, changes.given);
  const server = createServer(config, changes.alter?.(parts) ?? parts);
  const port = await server.start();
  const stop = async (): Promise<void> => {
    await server.stop();
    await close();
  };
  serve({ baseUrl: baseUrl(config.host, port) }, stop, changes.answers);
}
