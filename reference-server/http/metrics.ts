import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Metrics } from "../parts.ts";

/** The metrics of one process, in the Prometheus text format. */
export interface ProcessMetrics extends Metrics {
  /** Records a committed batch of the writer and its number of commands. */
  batch(commands: number): void;
  /** Sets the function that counts the open holds of all processes on the database. */
  countHolds(count: () => Promise<number>): void;
  /** Adds memory, CPU time, event-loop lag and garbage collection of the process; once per process. */
  watchProcess(): void;
}

/** Metrics in a registry of their own, so that several servers in one process stay separate. */
export function createMetrics(): ProcessMetrics {
  const registers = [new Registry()];
  const [registry] = registers as [Registry];
  const requests = new Counter({
    name: "http_requests_total",
    help: "Requests by operation (other: pages, probes, unknown paths) and status",
    labelNames: ["operation", "status"],
    registers,
  });
  const durations = new Histogram({
    name: "http_request_duration_seconds",
    help: "From a request's head to the end of its answer, by operation and status",
    labelNames: ["operation", "status"],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });
  const batches = new Histogram({
    name: "writer_batch_commands",
    help: "Commands that the writer committed together",
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
    registers,
  });
  const brokenAnswers = new Counter({
    name: "broken_answers_total",
    help: "Answers that broke the contract: refused or reported, as BROKEN_ANSWERS says",
    labelNames: ["operation"],
    registers,
  });
  return {
    contentType: registry.contentType,
    request(operation, status, seconds) {
      const labels = { operation: operation ?? "other", status };
      requests.inc(labels);
      durations.observe(labels, seconds);
    },
    brokenAnswer: (operation) => brokenAnswers.inc({ operation }),
    batch: (commands) => batches.observe(commands),
    countHolds(count) {
      new Gauge({
        name: "holds_open",
        help: "Executions under way whose credits are held, of all processes on the database",
        registers,
        async collect() {
          // Without the database this figure is unknown, but the others are still useful.
          this.set(await count().catch(() => NaN));
        },
      });
    },
    watchProcess: () => collectDefaultMetrics({ register: registry }),
    text: () => registry.metrics(),
  };
}
