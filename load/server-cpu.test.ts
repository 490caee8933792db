import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WrongUse } from "../base/exit.ts";
import { cpuReader } from "./server-cpu.ts";

let metrics = "";
const server = createServer((_request, response) => response.end(metrics));
let url = "";

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`;
});
afterAll(() => server.close());

test("without a source there is nothing to read", () => {
  expect(cpuReader({})).toBeNull();
});

test.runIf(process.platform === "linux")(
  "a process's CPU time grows with its work, of all its threads",
  async () => {
    const read = cpuReader({ pid: process.pid })!;
    const before = await read();
    const spentBefore = process.cpuUsage().user;
    while (process.cpuUsage().user - spentBefore < 60_000);
    const spent = (await read()) - before;
    expect(spent).toBeGreaterThanOrEqual(0.04);
  },
);

test("a process that does not exist is refused", async () => {
  await expect(cpuReader({ pid: 2 ** 30 })!()).rejects.toThrow(WrongUse);
});

test("Prometheus metrics show it, with labels or without", async () => {
  metrics = "# TYPE process_cpu_seconds_total counter\nprocess_cpu_seconds_total 12.5\n";
  expect(await cpuReader({ metricsUrl: url })!()).toBe(12.5);
  metrics = 'process_cpu_seconds_total{app="x"} 13 1700000000\n';
  expect(await cpuReader({ metricsUrl: url })!()).toBe(13);
});

test("metrics without it are refused", async () => {
  metrics = "process_cpu_user_seconds_total 3\n";
  await expect(cpuReader({ metricsUrl: url })!()).rejects.toThrow("does not show process_cpu_seconds_total");
});
