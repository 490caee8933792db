import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, it, onTestFinished, vi } from "vitest";
import type { Figures } from "./engine/figures.ts";
import type { Judgement } from "./judgement.ts";
import { exporting } from "./metrics.ts";

const latencies = { totalCount: 7, getValueAtPercentile: (percentile: number) => percentile * 10_000 };
const figures = {
  failed: 2,
  unanswered: 2,
  unfinished: 1,
  lateness: { max_ms: 17 },
  endings: () => [{ step: 'a "path"', status: 200, expected: true, latencies }],
} as unknown as Figures;
const judgement = { findings: [{}, {}, {}] } as unknown as Judgement;

/** A port where nothing listens, or the given listener does. */
async function listening(answer?: Parameters<typeof createServer>[1]): Promise<number> {
  const server = createServer(answer ?? (() => undefined)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  if (answer === undefined) server.close();
  else onTestFinished(() => void server.close());
  return port;
}

it("serves the figures to Prometheus while a load runs", async () => {
  const port = await listening();
  const exported = await exporting({ prometheus: port }, "throughput");
  exported.watch(figures, judgement);
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
  const page = await answer.text();
  expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  expect(page).toContain(
    "# TYPE load_failed_total counter\n" + 'load_failed_total{scenario="throughput"} 2\n',
  );
  expect(page).toContain(
    'load_latency{scenario="throughput",step="a \\"path\\"",status="200",expected="true",quantile="0.999"} 0.999\n',
  );
  await exported.close();
  await expect(fetch(`http://127.0.0.1:${port}/metrics`)).rejects.toThrow();
});

it("sends the rest to an OTLP collector when a load ends", async () => {
  vi.stubEnv("OTEL_EXPORTER_OTLP_HEADERS", "api-key=a%3Db, other=1");
  onTestFinished(() => void vi.unstubAllEnvs());
  const bodies: string[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const port = await listening(async (request, response) => {
    headers.push(request.headers);
    bodies.push(await text(request));
    response.end("{}");
  });
  const exported = await exporting({ otlp: `http://user:p%40ss@127.0.0.1:${port}/v1/metrics` }, "throughput");
  exported.watch(figures, judgement);
  await exported.close();
  expect(headers[0]).toMatchObject({
    "content-type": "application/json",
    authorization: `Basic ${Buffer.from("user:p@ss").toString("base64")}`,
    "api-key": "a=b",
  });
  const { resource, scopeMetrics } = JSON.parse(bodies[0]!).resourceMetrics[0];
  expect(resource.attributes).toEqual([
    { key: "service.name", value: { stringValue: "capability-contract-load" } },
  ]);
  const metrics = Object.fromEntries(
    scopeMetrics[0].metrics.map((metric: { name: string }) => [metric.name, metric]),
  );
  expect(metrics["load.failed"].sum).toMatchObject({
    aggregationTemporality: 2,
    isMonotonic: true,
    dataPoints: [{ attributes: [{ key: "scenario", value: { stringValue: "throughput" } }], asDouble: 2 }],
  });
  expect(metrics["load.failed"].sum.dataPoints[0].timeUnixNano).toMatch(/^\d{13}000000$/);
  expect(
    metrics["load.latency"].gauge.dataPoints.map((point: { asDouble: number }) => point.asDouble),
  ).toEqual([0.5, 0.9, 0.99, 0.999]);
});

it.each([
  ["refuses", "answered 503"],
  ["is absent", "ECONNREFUSED"],
])("says at the end that a collector took nothing: it %s", async (how, why) => {
  const said = vi.spyOn(console, "error").mockReturnValue();
  onTestFinished(() => said.mockRestore());
  const port = await listening(
    how === "refuses" ? (_, response) => response.writeHead(503).end() : undefined,
  );
  const exported = await exporting({ otlp: `http://user:secret@127.0.0.1:${port}/` }, "throughput");
  exported.watch(figures, judgement);
  await exported.close();
  expect(said.mock.calls.join()).toMatch(/^--otlp http:.*the last figures were not taken: /);
  expect(said.mock.calls.join()).not.toContain("secret");
  expect(said.mock.calls.join()).toContain(why);
});

it("refuses an address with a malformed password", async () => {
  await expect(exporting({ otlp: "http://user:%zz@127.0.0.1:1/" }, "throughput")).rejects.toThrow("%25");
});

it("refuses a port that is taken", async () => {
  const port = await listening((_, response) => response.end());
  await expect(exporting({ prometheus: port }, "throughput")).rejects.toThrow(
    /^--prometheus \d+: .*EADDRINUSE/,
  );
});

it.each(["api-key", "a b=c", "key=%"])("refuses malformed headers: %s", async (headers) => {
  vi.stubEnv("OTEL_EXPORTER_OTLP_HEADERS", headers);
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(exporting({ otlp: "http://127.0.0.1:1/" }, "throughput")).rejects.toThrow(
    "OTEL_EXPORTER_OTLP_HEADERS must be headers such as api-key=KEY",
  );
});
