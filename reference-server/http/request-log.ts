import type { RequestHandler } from "express";
import type { Parts } from "../parts.ts";

/** Paths that probes ask for repeatedly: their lines would hide all others. */
const probes = ["/healthz", "/readyz", "/metrics"];

/** Logs one line per request when its answer is done: the path without its query, and never a body or a credential. A probe that succeeds is logged at debug. */
export function requestLog({ clock, log }: Pick<Parts, "clock" | "log">): RequestHandler {
  return (request, response, next) => {
    const startedAt = clock.now();
    const { method, path } = request;
    response.on("close", () => {
      const { caller } = response.locals as { caller?: { account: { id: string } } };
      const isProbe = probes.includes(path) && response.statusCode < 400;
      log[isProbe ? "debug" : "info"]({
        method,
        path,
        status: response.statusCode,
        duration_ms: clock.now() - startedAt,
        account_id: caller?.account.id,
        ...(!response.writableFinished && { aborted: true }),
      });
    });
    next();
  };
}
