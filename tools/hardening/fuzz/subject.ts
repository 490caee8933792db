import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sampleCapabilities } from "../../../reference-server/catalog/sample-roles.ts";
import { defaultConfig } from "../../../reference-server/config.ts";
import { unlimitedQuotas } from "../../../reference-server/unlimited.fixture.ts";
import { deployed } from "../deployed.ts";
import { startProcess } from "../started.ts";

/** The server under test. */
export interface Subject {
  baseUrl: string;
  capabilityIds: readonly string[];
  /** Memory of its process in bytes, now and at most; null for a server that was not started here. */
  memory(): Promise<{ now: number; most: number }> | null;
  /** Its process; null for a server that was not started here. */
  pid: number | null;
  /** Why its process ended by itself; null while it runs. */
  ended(): string | null;
  stop(): Promise<void>;
}

/** A server that is already running. */
export const givenSubject = (baseUrl: string): Subject => ({
  baseUrl: baseUrl.replace(/\/+$/, ""),
  capabilityIds: ["weather.current"],
  memory: () => null,
  pid: null,
  ended: () => null,
  stop: () => Promise.resolve(),
});

/** Starts the reference server with heap and memory as deployed, in its own process and folder, without quotas. */
export async function startedSubject(): Promise<Subject> {
  const dataFolder = await mkdtemp(join(tmpdir(), "capability-fuzz-"));
  const config = { ...defaultConfig, dataFolder, port: 0, logLevel: "error", quotas: unlimitedQuotas };
  const { heapMebibytes, memoryBytes } = deployed.kubernetes;
  const { said, process, ask, ended, stop } = await startProcess(
    new URL("../server.ts", import.meta.url),
    [JSON.stringify(config)],
    {
      nodeFlags: [`--max-old-space-size=${heapMebibytes}`],
      env: { MALLOC_ARENA_MAX: "2" },
      memoryBytes,
    },
  );
  return {
    ...said,
    capabilityIds: Object.values(sampleCapabilities).map(({ id }) => id),
    memory: () => ask("memory"),
    pid: process.pid!,
    ended,
    async stop() {
      await stop();
      await rm(dataFolder, { recursive: true, force: true });
    },
  };
}
