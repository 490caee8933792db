import type { RequestHandler, Response } from "express";
import { CannotServe } from "./errors.ts";

/** Bounds how much is under way at once, so that what is admitted is answered in time. */
export interface Admission {
  /** Refuses a request with 503, before anything of it is read, while as many as allowed are under way. */
  gate: RequestHandler;
  /**
   * Counts the bytes of a body that has arrived until the request's work has ended.
   * @throws CannotServe when all bodies under way hold too much
   */
  carry(response: Response, bytes: number): void;
  /** Lets a request count as under way until this has ended: its client may leave before, its work goes on. */
  during<T>(response: Response, work: () => Promise<T>): Promise<T>;
}

/** How long a body may take to arrive while others wait for its place, in ms. */
const arrivalPatienceMs = 2_000;
/** Bytes of all bodies under way. */
const mostBodyBytes = 67_108_864;

/**
 * A place is held from the first line of a request to the end of its work. Whoever reads the answer slowly holds none:
 * see sending.ts.
 * @param most requests under way at once, waiting for others (a slow provider, the database) included
 */
export function createAdmission(most: number): Admission {
  /** Of each request under way, in the order in which they came. */
  const places = new Map<Response, { working: boolean; since: number; bytes: number }>();
  let bodyBytes = 0;
  const leave = (response: Response): void => {
    bodyBytes -= places.get(response)?.bytes ?? 0;
    places.delete(response);
  };
  const dropSlowestArrival = (): void => {
    const before = performance.now() - arrivalPatienceMs;
    for (const [response, { working, since }] of places) {
      if (working || since > before) continue;
      leave(response);
      response.destroy();
      return;
    }
  };
  return {
    gate(_request, response, next) {
      if (places.size >= most) dropSlowestArrival();
      if (places.size >= most) {
        return next(
          new CannotServe(`The server is busy: ${most} requests are under way. Nothing was done. Try again.`),
        );
      }
      places.set(response, { working: false, since: performance.now(), bytes: 0 });
      response.once("close", () => {
        if (places.get(response)?.working === false) leave(response);
      });
      next();
    },
    carry(response, bytes) {
      const place = places.get(response);
      if (place === undefined) return;
      if (bodyBytes + bytes > mostBodyBytes) {
        throw new CannotServe("The server is busy with large requests. Nothing was done. Try again.");
      }
      place.bytes = bytes;
      bodyBytes += bytes;
    },
    async during(response, work) {
      const place = places.get(response);
      if (place !== undefined) place.working = true;
      try {
        return await work();
      } finally {
        leave(response);
      }
    },
  };
}
