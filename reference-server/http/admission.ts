import type { RequestHandler, Response } from "express";
import { CannotServe } from "./errors.ts";

/** Bounds how much is under way at once, so that what is admitted is answered in time. */
export interface Admission {
  /** Refuses a request with 503, before anything of it is read, while as many as allowed are under way. */
  gate: RequestHandler;
  /** Lets a request count as under way until this has ended: its client may leave before, its work goes on. */
  during<T>(response: Response, work: () => Promise<T>): Promise<T>;
}

/** @param most requests under way at once, waiting for others (a slow provider, the database) included */
export function createAdmission(most: number): Admission {
  /** Of each request under way: what of it is not over. */
  const places = new Map<Response, { open: boolean; working: boolean }>();
  const leave = (response: Response, over: "open" | "working"): void => {
    const place = places.get(response);
    if (place === undefined) return;
    place[over] = false;
    if (!place.open && !place.working) places.delete(response);
  };
  return {
    gate(_request, response, next) {
      if (places.size >= most) {
        return next(
          new CannotServe(`The server is busy: ${most} requests are under way. Nothing was done. Try again.`),
        );
      }
      places.set(response, { open: true, working: false });
      response.once("close", () => leave(response, "open"));
      next();
    },
    async during(response, work) {
      const place = places.get(response);
      if (place !== undefined) place.working = true;
      try {
        return await work();
      } finally {
        leave(response, "working");
      }
    },
  };
}
