import type { RequestHandler, Response } from "express";
import { CannotServe } from "./errors.ts";

/** Bounds the work in progress, so that admitted requests are answered in time. */
export interface Admission {
  /** Refuses a request with 503, before any of it is read, while the maximum is in progress. */
  gate: RequestHandler;
  /**
   * Counts the bytes of a received body until the request's work has ended.
   * @throws CannotServe if all bodies in progress are too large together
   */
  carry(response: Response, bytes: number): void;
  /**
   * Keeps a request's place until the promise settles: its client may leave earlier, its work goes on.
   * @param account the account that asks, if any
   * @throws CannotServe while the account has its share of all places
   */
  during<T>(response: Response, account: string | undefined, work: () => Promise<T>): Promise<T>;
}

/** The share of all places that one account may take, so that its slow requests leave room for others. */
const accountShare = 0.25;
/** How long a body may take to arrive while others wait for its place, in ms. */
const arrivalPatienceMs = 2_000;
/** Total bytes of all bodies in progress. */
const mostBodyBytes = 67_108_864;

/**
 * A request holds its place from its first line to the end of its work. A slow reader of an answer holds none: see
 * sending.ts.
 * @param most concurrent requests, including those that wait for a slow provider or the database
 */
export function createAdmission(most: number): Admission {
  /** The state of each request in progress, in order of arrival. */
  const places = new Map<Response, { working: boolean; since: number; bytes: number }>();
  /** The requests that each account has in progress. */
  const ofAccounts = new Map<string, number>();
  const mostOfAccount = Math.ceil(most * accountShare);
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
      response.on("close", () => {
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
    async during(response, account = "", work) {
      const others = ofAccounts.get(account) ?? 0;
      if (account !== "" && others >= mostOfAccount) {
        leave(response);
        throw new CannotServe(`This account has ${others} requests under way. Nothing was done. Try again.`);
      }
      ofAccounts.set(account, others + 1);
      const place = places.get(response);
      if (place !== undefined) place.working = true;
      try {
        return await work();
      } finally {
        leave(response);
        const left = ofAccounts.get(account)! - 1;
        if (left === 0) ofAccounts.delete(account);
        else ofAccounts.set(account, left);
      }
    },
  };
}
