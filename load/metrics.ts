import { once } from "node:events";
import { createServer } from "node:http";
import { WrongUse } from "../base/exit.ts";
import type { Figures } from "./engine/figures.ts";
import type { Judgement } from "./judgement.ts";

/** Where the figures of a load go while it runs. */
export interface MetricsTargets {
  /** The port on which Prometheus reads them. */
  prometheus?: number | undefined;
  /** The address of an OTLP collector. */
  otlp?: string | undefined;
}

/** A metric of a load: a counter, which only grows, or a gauge. */
interface Metric {
  kind: "counter" | "gauge";
  /** Its OpenTelemetry name, such as `load.answers`. */
  name: string;
  description: string;
  unit: "" | "s";
  points: [labels: Record<string, string>, value: number][];
}

/** Milliseconds between messages to a collector, and the most that one may take. */
const otlpIntervalMs = 5_000;
const quantiles = [0.5, 0.9, 0.99, 0.999];

/**
 * Exports the figures of a load as metrics: counters of answers by step and status, latencies as quantiles.
 * @throws WrongUse if the port is taken, or the headers for a collector are malformed
 */
export async function exporting({ prometheus, otlp }: MetricsTargets, scenario: string) {
  let read: () => readonly Metric[] = () => [];
  const page = prometheus === undefined ? null : await serve(prometheus, () => prometheusText(read()));
  const collector = otlp === undefined ? null : sending(otlp, () => read());
  return {
    /** Reads the figures whenever a target wants them. */
    watch(figures: Figures, judgement: Judgement): void {
      read = () => metricsOf(figures, judgement, scenario);
    },
    /** Sends the rest. */
    async close(): Promise<void> {
      page?.closeAllConnections();
      page?.close();
      await collector?.close();
    },
  };
}

function metricsOf(figures: Figures, { findings }: Judgement, scenario: string): Metric[] {
  const metric = (
    kind: Metric["kind"],
    name: string,
    description: string,
    value: number | Metric["points"],
    unit: Metric["unit"] = "",
  ): Metric => ({
    ...{ kind, name, description, unit },
    points: typeof value === "number" ? [[{ scenario }, value]] : value,
  });
  const steps = [...figures.endings()]
    .filter(({ status }) => status > 0)
    .map(
      ({ step, status, expected, latencies }) =>
        [{ scenario, step, status: String(status), expected: String(expected) }, latencies] as const,
    );
  const answers = steps.map(([labels, { totalCount }]): Metric["points"][number] => [labels, totalCount]);
  const latencies = steps.flatMap(([labels, latencies]) =>
    quantiles.map((quantile): Metric["points"][number] => [
      { ...labels, quantile: String(quantile) },
      latencies.getValueAtPercentile(quantile * 100) / 1e6,
    ]),
  );
  const latenessSeconds = (figures.lateness?.max_ms ?? 0) / 1000;
  return [
    metric("counter", "load.failed", "Requests without an expected answer", figures.failed),
    metric("counter", "load.unanswered", "Requests without an answer", figures.unanswered),
    metric(
      "counter",
      "load.unfinished",
      "Requests without an answer when the load ended",
      figures.unfinished,
    ),
    metric("counter", "load.findings", "Faults and warnings", findings.length),
    metric("gauge", "load.lateness.max", "How late the load started a request", latenessSeconds, "s"),
    metric("counter", "load.answers", "Answers by step, status and whether they were expected", answers),
    metric("gauge", "load.latency", "Quantiles of the latency", latencies, "s"),
  ];
}

/** Metrics in Prometheus's text format, version 0.0.4. */
function prometheusText(metrics: readonly Metric[]): string {
  // A JSON text escapes the same characters as the format: quotation marks, backslashes and line feeds.
  const labelled = (labels: Record<string, string>): string =>
    Object.entries(labels)
      .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
      .join();
  return metrics
    .flatMap(({ name, kind, description, points }) => {
      const written = `${name.replaceAll(".", "_")}${kind === "counter" ? "_total" : ""}`;
      return [
        `# HELP ${written} ${description}`,
        `# TYPE ${written} ${kind}`,
        ...points.map(([labels, value]) => `${written}{${labelled(labels)}} ${value}`),
      ];
    })
    .join("\n")
    .concat("\n");
}

async function serve(port: number, text: () => string) {
  const server = createServer((request, response) => {
    if (request.url !== "/metrics") return void response.writeHead(404).end("The figures are at /metrics.\n");
    response.writeHead(200, { "Content-Type": "text/plain; version=0.0.4; charset=utf-8" }).end(text());
  });
  try {
    await once(server.listen(port), "listening");
  } catch (error) {
    throw new WrongUse(`--prometheus ${port}: ${(error as Error).message}`, { cause: error });
  }
  return server;
}

/** The body of an OTLP export in JSON (OTLP 1.x, ExportMetricsServiceRequest); moments are epoch milliseconds. */
function otlpBody(metrics: readonly Metric[], startedAt: number, now: number): unknown {
  const nanos = (ms: number): string => `${ms}000000`;
  const attributes = (labels: Record<string, string>) =>
    Object.entries(labels).map(([key, stringValue]) => ({ key, value: { stringValue } }));
  const exported = metrics.map(({ name, kind, unit, description, points }) => {
    const dataPoints = points.map(([labels, value]) => ({
      attributes: attributes(labels),
      startTimeUnixNano: nanos(startedAt),
      timeUnixNano: nanos(now),
      asDouble: value,
    }));
    return {
      name,
      unit,
      description,
      // 2 is cumulative: a counter covers everything since the start.
      ...(kind === "counter"
        ? { sum: { aggregationTemporality: 2, isMonotonic: true, dataPoints } }
        : { gauge: { dataPoints } }),
    };
  });
  const resource = { attributes: attributes({ "service.name": "capability-contract-load" }) };
  return { resourceMetrics: [{ resource, scopeMetrics: [{ scope: { name: "load" }, metrics: exported }] }] };
}

/**
 * The headers of a message: for the format, for the user in the address, and those that OpenTelemetry's own exporters
 * take from the environment.
 * @throws WrongUse if those are malformed
 */
function headersOf({ username, password }: URL): Headers {
  const headers = new Headers({ "Content-Type": "application/json" });
  const given = process.env["OTEL_EXPORTER_OTLP_HEADERS"] || null;
  try {
    const user = [username, password].map(decodeURIComponent).join(":");
    if (user !== ":") headers.set("Authorization", `Basic ${Buffer.from(user).toString("base64")}`);
    for (const pair of given?.split(",") ?? []) {
      const [, name, value] = /^(.+?)=(.*)$/s.exec(pair)!.map((part) => decodeURIComponent(part.trim()));
      headers.set(name!, value!);
    }
  } catch {
    throw new WrongUse(
      "OTEL_EXPORTER_OTLP_HEADERS must be headers such as api-key=KEY,tenant=ID, and % in --otlp is written %25.",
    );
  }
  return headers;
}

/** Sends metrics every few seconds; a collector that takes none costs the load nothing, and is reported at its end. */
function sending(given: string, read: () => readonly Metric[]) {
  const url = new URL(given);
  const headers = headersOf(url);
  url.username = url.password = "";
  const startedAt = Date.now();
  let failure: string | null = null;
  let sent = Promise.resolve();
  const send = async (): Promise<void> => {
    try {
      const answer = await fetch(url, {
        method: "POST",
        headers,
        body: JSON.stringify(otlpBody(read(), startedAt, Date.now())),
        signal: AbortSignal.timeout(otlpIntervalMs),
      });
      await answer.body?.cancel();
      failure = answer.ok ? null : `it answered ${answer.status}`;
    } catch (error) {
      failure = ((error as Error).cause as Error | undefined)?.message ?? (error as Error).message;
    }
  };
  const next = (): Promise<void> => (sent = sent.then(send));
  const timer = setInterval(() => void next(), otlpIntervalMs);
  return {
    async close(): Promise<void> {
      clearInterval(timer);
      await next();
      if (failure !== null)
        console.error(`--otlp ${url.origin}: the last figures were not taken: ${failure}`);
    },
  };
}
