import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The memory limits of a process: Node enforces the heap's, the run judges the total. */
export const memoryBound = { heapMebibytes: 512, mebibytes: 1_024 };

/** The server under test. */
export interface Subject {
  baseUrl: string;
  capabilityIds: readonly string[];
  /** Memory of its process in bytes; null for a server that was not started here. */
  memory(): Promise<number> | null;
  /** Why its process ended by itself; null while it runs. */
  ended(): string | null;
  stop(): Promise<void>;
}

/** A server that is already running. */
export const givenSubject = (baseUrl: string): Subject => ({
  baseUrl: baseUrl.replace(/\/+$/, ""),
  capabilityIds: ["weather.current"],
  memory: () => null,
  ended: () => null,
  stop: () => Promise.resolve(),
});

/** Starts the reference server in its own process and folder. */
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
