import express, { Router, type ErrorRequestHandler, type Request, type RequestHandler } from "express";
import { HttpError } from "./http/errors.ts";
import type { Clock, Parts } from "./parts.ts";
import { systemClock } from "./system-clock.ts";

/** A clock that can be set ahead. */
export type TestClock = Required<Clock>;

export const isTestClock = (clock: Clock): clock is TestClock => clock.advance !== undefined;

/** The machine's time plus everything that the clock was advanced by. */
export function createTestClock(): TestClock {
  let aheadMs = 0;
  return {
    now: () => systemClock.now() + aheadMs,
    advance: (ms) => void (aheadMs += ms),
  };
}

/** The address of the test clock, outside the API. */
export const clockPath = "/-/clock";

/** The latest time that the clock can be set to: every date format of the API has four digits for the year. */
const latest = Date.parse("9999-01-01T00:00:00Z");

const refused = (message: string): HttpError => new HttpError(422, message);

/**
 * The address that shows and advances the server's test clock, for clients on this machine; for all others it does not
 * exist. With it, the Date header shows the clock's time, as the rate-limit headers do.
 */
export function clockAddress(clock: TestClock, { books }: Pick<Parts, "books">): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const show: RequestHandler = (_request, response) => {
    response.json({ now: new Date(clock.now()).toISOString() });
  };
  router.use((_request, response, next) => {
    response.set("Date", new Date(clock.now()).toUTCString());
    next();
  });
  router.use(clockPath, (request, _response, next) => next(isLocal(request) ? undefined : "router"));
  router.get(clockPath, show);
  router.post(clockPath, express.json({ strict: false }));
  router.use(clockPath, notJson);
  router.post(
    clockPath,
    async (request, _response, next) => {
      clock.advance(stepOf(request.body, clock.now()));
      // A step past the lease of a dead process voids its holds before the answer.
      await books.sweep();
      next();
    },
    show,
  );
  router.all(clockPath, ({ method }) => {
    const allow = "GET, HEAD, POST";
    throw new HttpError(405, `${method} is not allowed here; allowed: ${allow}.`, { Allow: allow });
  });
  return router;
}

const notJson: ErrorRequestHandler = (_error, _request, _response, next) => next(refused(usage));

const loopback = /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/;

const localHost = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i;
const ofProxy = /^via$|forwarded|-ip(v6)?$/;

/**
 * Whether the client is on this machine and speaks for itself: not a proxy that forwards for others, and not a page
 * whose own name leads here.
 */
const isLocal = ({ socket, headers }: Request): boolean =>
  loopback.test(socket.remoteAddress ?? "") &&
  localHost.test(headers.host ?? "") &&
  !Object.keys(headers).some((name) => ofProxy.test(name));

const usage =
  'Send JSON (Content-Type: application/json): {"seconds": 60} advances the clock by 60 s, and {"to": "2030-01-01T00:00:00Z"} sets it to a time.';

/** The step that a request asks for, in ms. @throws HttpError with one sentence */
function stepOf(body: unknown, now: number): number {
  const { seconds, to, ...others } = (body ?? {}) as Record<string, unknown>;
  if ((seconds === undefined) === (to === undefined) || Object.keys(others).length > 0) throw refused(usage);
  const step =
    to === undefined ? Number(typeof seconds === "number" ? 1000 * seconds : NaN) : timeOf(to) - now;
  if (!Number.isFinite(step)) throw refused(usage);
  if (step < 0) throw refused(`The clock only goes forward; it is ${new Date(now).toISOString()}.`);
  if (now + step > latest) throw refused("The clock goes no further than the year 9999.");
  return Math.ceil(step);
}

const timeOf = (to: unknown): number =>
  typeof to === "string" && /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(to) ? Date.parse(to) : NaN;
