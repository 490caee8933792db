import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** How much memory a process may hold: heap by a flag of Node, all of it by the judgement of the run. */
export const memoryBound = { heapMebibytes: 512, mebibytes: 1_024 };

/** A server that is fuzzed. */
export interface Subject {
  baseUrl: string;
  capabilityIds: readonly string[];
  /** Bytes that its process holds; null for a server that was not started here. */
  memory(): Promise<number> | null;
  /** How its process ended by itself; null while it runs. */
  ended(): string | null;
  stop(): Promise<void>;
}

/** A server that somebody else runs. */
export const givenSubject = (baseUrl: string): Subject => ({
  baseUrl: baseUrl.replace(/\/+$/, ""),
  capabilityIds: ["weather.current"],
  memory: () => null,
  ended: () => null,
  stop: () => Promise.resolve(),
});

/** Starts the reference server in a process and a folder of its own. */
export async function startedSubject(heapMebibytes = memoryBound.heapMebibytes): Promise<Subject> {
  const folder = await mkdtemp(join(tmpdir(), "capability-fuzz-"));
  const child = fork(new URL("server.ts", import.meta.url), [folder], {
    execArgv: [`--max-old-space-size=${heapMebibytes}`],
  });
  let end: string | null = null;
  let stopping = false;
  const exit = once(child, "exit");
  child.once(
    "exit",
    (code, signal) => (end = stopping ? null : `status ${String(code)}, signal ${String(signal)}`),
  );
  const said = async <Message>(): Promise<Message> => {
    const [message] = (await Promise.race([once(child, "message"), exit.then(() => [null])])) as [
      Message | null,
    ];
    if (message === null) throw new Error(`the server under fuzz ended: ${end ?? "it was stopped"}`);
    return message;
  };
  const { baseUrl, capabilityIds } = await said<{ baseUrl: string; capabilityIds: string[] }>();
  return {
    baseUrl,
    capabilityIds,
    async memory() {
      child.send("memory");
      return (await said<{ rss: number }>()).rss;
    },
    ended: () => end,
    async stop() {
      stopping = true;
      if (child.connected) child.send("stop");
      if (child.exitCode === null && child.signalCode === null) await exit;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
