import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { contractVersion } from "../../generated/contract.ts";
import type { Metrics } from "../parts.ts";

/** The metrics of one process, in the Prometheus text format. */
export interface ProcessMetrics extends Metrics {
  /** Records a committed batch of the writer and its number of commands. */
  batch(commands: number): void;
  /** Sets the function that counts the open holds of all processes on the database. */
  countHolds(count: () => Promise<number>): void;
  /** Sets the function that tells whether this process counts rate limits by itself, without Redis. */
  watchLimiter(countsAlone: () => boolean): void;
  /** Sets the function that counts the connections to the database by state. */
  watchPool(count: () => Readonly<Record<string, number>>): void;
  /** Adds memory, CPU time, event-loop lag and garbage collection of the process; once per process. */
  watchProcess(): void;
}

/**
 * Metrics in a registry of their own, so that several servers in one process stay separate.
 * @param version of the server
 */
export function createMetrics(version: string): ProcessMetrics {
  const registers = [new Registry()];
  const [registry] = registers as [Registry];
  const requests = new Counter({
    name: "capability_http_requests_total",
    help: "Requests by operation (other: pages, probes, unknown paths) and status",
    labelNames: ["operation", "status"],
    registers,
  });
  const durations = new Histogram({
    name: "capability_http_request_duration_seconds",
    help: "From a request's head to the end of its answer, by operation and status",
    labelNames: ["operation", "status"],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });
  const batches = new Histogram({
    name: "capability_writer_batch_commands",
    help: "Commands that the writer committed together",
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
    registers,
  });
  const brokenAnswers = new Counter({
    name: "capability_broken_answers_total",
    help: "Answers that broke the contract: refused or reported, as BROKEN_ANSWERS says",
    labelNames: ["operation"],
    registers,
  });
  const refusals = new Counter({
    name: "capability_rate_limit_refusals_total",
    help: "Requests refused with 429, by operation",
    labelNames: ["operation"],
    registers,
  });
  new Gauge({
    name: "capability_build_info",
    help: "1; its labels are the versions of the server and of the contract",
    labelNames: ["version", "contract"],
    registers,
  }).set({ version, contract: contractVersion }, 1);
  return {
    contentType: registry.contentType,
    request(operation, status, seconds) {
      const labels = { operation: operation ?? "other", status };
      requests.inc(labels);
      durations.observe(labels, seconds);
      if (status === 429) refusals.inc({ operation: labels.operation });
    },
    brokenAnswer: (operation) => brokenAnswers.inc({ operation }),
    batch: (commands) => batches.observe(commands),
    countHolds(count) {
      new Gauge({
        name: "capability_holds_open",
        help: "Executions under way whose credits are held, of all processes on the database",
        registers,
        async collect() {
          // Without the database this figure is unknown, but the others are still useful.
          this.set(await count().catch(() => NaN));
        },
      });
    },
    watchLimiter(countsAlone) {
      new Gauge({
        name: "capability_redis_fallback",
        help: "1 while this process counts rate limits alone, since Redis does not answer",
        registers,
        collect() {
          this.set(Number(countsAlone()));
        },
      });
    },
    watchPool(count) {
      new Gauge({
        name: "capability_database_connections",
        help: "Connections to the database by state; pending: requests that wait for one",
        labelNames: ["state"],
        registers,
        collect() {
          for (const [state, connections] of Object.entries(count())) this.set({ state }, connections);
        },
      });
    },
    watchProcess: () => collectDefaultMetrics({ register: registry }),
    text: () => registry.metrics(),
  };
}
