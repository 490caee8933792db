import { stat } from "node:fs/promises";
import type { Express } from "express";
import type { Config } from "../config.ts";
import type { Parts } from "../parts.ts";
import { NotReady } from "../storage/open.ts";
import type { Locals } from "./answer.ts";

/** Timeout of the database check for readiness, in ms. */
const patienceMs = 1_000;

/**
 * Endpoints for the operator's machinery, outside the contract and without a credential: `/healthz` (the process is
 * alive), `/readyz` (the data folder exists, the database can be read, and it took the last commit; 503 otherwise) and
 * `/metrics` (Prometheus). A proxy in front should not expose the last one.
 */
export function health(
  app: Express,
  { dataFolder }: Pick<Config, "dataFolder">,
  { requireReady, log, metrics }: Parts,
): void {
  app.get("/healthz", (_request, response) => {
    response.json({ status: "ok" });
  });
  const check = async (): Promise<void> => {
    await stat(dataFolder).catch((cause: unknown) => {
      throw new NotReady("The data folder is gone.", { cause });
    });
    await requireReady();
  };
  // A check that hangs is not begun again: each would hold a thread or a connection.
  let checking: Promise<void> | null = null;
  app.get("/readyz", async (_request, response) => {
    try {
      checking ??= check().finally(() => (checking = null));
      await within(patienceMs, checking);
      response.json({ status: "ready" });
    } catch (error) {
      const reason = error instanceof NotReady ? error.message : "The database does not answer.";
      log.warn({ err: error instanceof NotReady ? error.cause : error }, `not ready: ${reason}`);
      response.status(503).json({ status: "unavailable", reason });
    }
  });
  if (metrics === undefined) return;
  app.get("/metrics", async (_request, response) => {
    response.set("Content-Type", metrics.contentType).send(await metrics.text());
  });
}

async function within(ms: number, work: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`no answer in ${ms} ms`)), ms);
  try {
    await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Counts and times every request when its answer has ended. */
export function measure(app: Express, { clock, metrics }: Parts): void {
  if (metrics === undefined) return;
  app.use((_request, response, next) => {
    const startedAt = clock.now();
    response.on("close", () => {
      const { operation } = response.locals as Locals;
      metrics.request(operation ?? null, response.statusCode, (clock.now() - startedAt) / 1000);
    });
    next();
  });
}
