import type { RequestHandler } from "express";
import type { Parts } from "../parts.ts";

/**
 * One line for each request when its answer is done, under an id that the client reads as `X-Request-Id`. The path
 * stands in it without its query; bodies and credentials never do.
 */
export function requestLog({ clock, random, log }: Parts): RequestHandler {
  return (request, response, next) => {
    const requestId = random.bytes(8).toString("hex");
    const startedAt = clock.now();
    const { method, path } = request;
    response.set("X-Request-Id", requestId);
    response.once("close", () => {
      const { caller } = response.locals as { caller?: { account: { id: string } } };
      log.info({
        request_id: requestId,
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
