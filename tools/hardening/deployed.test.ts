import { expect, it } from "vitest";
import { defaultConfig } from "../../reference-server/config.ts";
import { maxHeldBytes } from "../../reference-server/http/app.ts";
import { maxMegabytes } from "../../reference-server/results/projecting.ts";
import { connectionsForEachPlace } from "../../reference-server/server.ts";
import { readCache, readConnections, writeCache } from "../../reference-server/storage/sqlite.ts";
import { deployed } from "./deployed.ts";

const mebibyte = 1_048_576;
/** The young generation of a heap, which its limit does not count. */
const young = 48 * mebibyte;
/** The most that a connection holds: a head of 16 KiB and its objects. Measured: 22 KiB with 4,000 of them. */
const connection = 24 * 1_024;
/** Code, libraries and stacks outside the heap, as an idle server holds them. */
const program = 105 * mebibyte;

it("deploys servers with more memory than their bounds add up to", () => {
  for (const { heapMebibytes, memoryBytes } of Object.values(deployed)) {
    const bounds = {
      heap: heapMebibytes * mebibyte + young,
      requests: maxHeldBytes,
      projections: maxMegabytes * mebibyte + young,
      connections: connectionsForEachPlace * defaultConfig.maxInFlight * connection,
      pages: 1_024 * (writeCache + readConnections * readCache),
      program,
    };
    expect(Object.values(bounds).reduce((sum, bytes) => sum + bytes)).toBeLessThan(memoryBytes);
  }
});
