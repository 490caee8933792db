import { stat } from "node:fs/promises";
import type { Express } from "express";
import type { Config } from "../config.ts";
import type { Parts } from "../parts.ts";
import type { Locals } from "./answer.ts";

/** Timeout of the database check for readiness, in ms. */
const patienceMs = 1_000;

/**
 * Endpoints for the operator's machinery, outside the contract and without a credential: `/healthz` (the process is
 * alive), `/readyz` (the data folder exists and the database answers; 503 otherwise) and `/metrics` (Prometheus). A proxy in front should not
 * expose the last one.
 */
export function health(
  app: Express,
  { dataFolder }: Pick<Config, "dataFolder">,
  { database, log, metrics }: Parts,
): void {
  app.get("/healthz", (_request, response) => {
    response.json({ status: "ok" });
  });
  app.get("/readyz", async (_request, response) => {
    try {
      await stat(dataFolder);
      await database.raw("SELECT 1").timeout(patienceMs, { cancel: false });
      response.json({ status: "ready" });
    } catch (error) {
      const isGone = (error as NodeJS.ErrnoException).code === "ENOENT";
      const reason = isGone ? "The data folder is gone." : "The database does not answer.";
      log.warn({ err: error }, `not ready: ${reason}`);
      response.status(503).json({ status: "unavailable", reason });
    }
  });
  if (metrics === undefined) return;
  app.get("/metrics", async (_request, response) => {
    response.set("Content-Type", metrics.contentType).send(await metrics.text());
  });
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
