import { WrongUse } from "../cli/exit.ts";
import type { Figures } from "./engine/figures.ts";
import type { Judgement } from "./judgement.ts";

/** Where the figures of a load go while it runs. */
export interface MetricsTargets {
  /** The port on which Prometheus reads them. */
  prometheus?: number | undefined;
  /** The address of an OTLP collector. */
  otlp?: string | undefined;
}

/** Milliseconds between messages to a collector. */
const otlpIntervalMs = 5_000;
const packages = "@opentelemetry/api @opentelemetry/sdk-metrics @opentelemetry/resources";
const quantiles = { 50: "0.5", 90: "0.9", 99: "0.99", 99.9: "0.999" };

/**
 * Exports the figures of a load as metrics: counters of answers by step and status, latencies as quantiles.
 * @throws WrongUse if the packages are not installed, or the port is taken
 */
export async function exporting({ prometheus, otlp }: MetricsTargets, scenario: string) {
  const readers = [
    ...(prometheus === undefined ? [] : [await prometheusReader(prometheus)]),
    ...(otlp === undefined ? [] : [await otlpReader(otlp)]),
  ];
  if (readers.length === 0) return { watch: () => undefined, close: () => Promise.resolve() };
  const { MeterProvider } = await optional("--otlp", packages, () => import("@opentelemetry/sdk-metrics"));
  const { resourceFromAttributes } = await import("@opentelemetry/resources");
  const provider = new MeterProvider({
    readers,
    resource: resourceFromAttributes({ "service.name": "capability-contract-load" }),
  });
  const meter = provider.getMeter("load");
  return {
    /** Observes the figures whenever a reader asks. */
    watch(figures: Figures, judgement: Judgement): void {
      const count = (name: string, description: string, value: () => number): void =>
        meter
          .createObservableCounter(name, { description })
          .addCallback((result) => result.observe(value(), { scenario }));
      count("load.errors", "Requests without an answer", () => figures.errors);
      count("load.unfinished", "Requests without an answer when the load ended", () => figures.unfinished);
      count("load.findings", "Faults and warnings", () => judgement.findings.length);
      meter
        .createObservableGauge("load.lateness.max", {
          unit: "s",
          description: "How late the load started a request",
        })
        .addCallback((result) => result.observe((figures.lateness?.max_ms ?? 0) / 1000, { scenario }));
      const answers = meter.createObservableCounter("load.answers", {
        description: "Answers by step and status",
      });
      const latency = meter.createObservableGauge("load.latency", {
        unit: "s",
        description: "Quantiles of the latency",
      });
      meter.addBatchObservableCallback(
        (result) => {
          for (const { step, status, latencies } of figures.histograms()) {
            const of = { scenario, step, status: String(status) };
            result.observe(answers, latencies.totalCount, of);
            for (const [percentile, quantile] of Object.entries(quantiles))
              result.observe(latency, latencies.getValueAtPercentile(Number(percentile)) / 1e6, {
                ...of,
                quantile,
              });
          }
        },
        [answers, latency],
      );
    },
    /** Sends what is left. */
    close: (): Promise<void> => provider.shutdown(),
  };
}

async function prometheusReader(port: number) {
  const name = "@opentelemetry/exporter-prometheus";
  const { PrometheusExporter } = await optional(
    "--prometheus",
    `${packages} ${name}`,
    () => import("@opentelemetry/exporter-prometheus"),
  );
  const exporter = new PrometheusExporter({ port, preventServerStart: true });
  await exporter.startServer().catch((error: Error) => {
    throw new WrongUse(`--prometheus ${port}: ${error.message}`, { cause: error });
  });
  return exporter;
}

async function otlpReader(url: string) {
  const name = "@opentelemetry/exporter-metrics-otlp-http";
  const { OTLPMetricExporter } = await optional(
    "--otlp",
    `${packages} ${name}`,
    () => import("@opentelemetry/exporter-metrics-otlp-http"),
  );
  const { PeriodicExportingMetricReader } = await import("@opentelemetry/sdk-metrics");
  return new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter({ url }),
    exportIntervalMillis: otlpIntervalMs,
  });
}

/** A package that only some loads need. */
async function optional<T>(flag: string, names: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    throw new WrongUse(`${flag} needs optional packages: npm install ${names}`, {
      cause: error,
    });
  }
}
