import { clipped } from "../clipped.ts";

/** One thing that is wrong with a request, as the 422 bodies list it. */
export interface Issue {
  /** From the outside in, e.g. `["body", "parameters", "city"]`. */
  loc: (string | number)[];
  /** What is wrong and what would be right. */
  msg: string;
  /** Stable for automation, e.g. `missing`. */
  type: string;
  input?: unknown;
}

/**
 * A request that is answered with an error. Thrown by the gates of http/ and by operations; http/refusals.ts gives it
 * the body of the operation at hand.
 */
export class HttpError extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = new.target.name;
    this.status = status;
    this.headers = headers;
  }
}

/** 401: no credential, or one that opens nothing. */
export class Unauthorized extends HttpError {
  constructor(message: string) {
    super(401, message, { "WWW-Authenticate": "Bearer" });
  }
}

/** Issues that one answer lists, and characters of a text of the client's that each repeats. */
const mostIssues = 20;
const mostCharacters = 300;

const short = (text: string): string => clipped(text, mostCharacters);

/** The first issues, and how many there are in all: an answer must not grow with what was wrong. */
function listed(issues: readonly Issue[]): Issue[] {
  const first = issues.slice(0, mostIssues).map(({ loc, msg, input, ...issue }) => ({
    ...issue,
    loc: loc.map((step) => (typeof step === "string" ? short(step) : step)),
    msg: short(msg),
    ...(input !== undefined && { input: typeof input === "string" ? short(input) : input }),
  }));
  if (issues.length <= mostIssues) return first;
  const msg = `${issues.length} things are wrong in all; these are the first ${mostIssues}`;
  return [...first, { loc: first[0]!.loc.slice(0, 1), msg, type: "more" }];
}

/** 422: the request does not have the form that the operation asks for. */
export class Invalid extends HttpError {
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[]) {
    const shown = listed(issues);
    super(422, shown.map(({ msg }) => msg).join("; "));
    this.issues = shown;
  }
}

/** 429: the account, or the address, has used up its window. */
export class RateLimited extends HttpError {
  constructor(quota: number, windowSeconds: number, retryAfter: number) {
    super(
      429,
      `The rate limit of ${quota} requests in ${windowSeconds} seconds is reached. Try again in ${retryAfter} seconds.`,
      { "Retry-After": String(retryAfter) },
    );
  }
}

/** Whole seconds after which a server that cannot serve now is worth another try. */
const retryAfterSeconds = 2;

/** 503: the server cannot serve at present, and will again without anybody's doing. */
export class CannotServe extends HttpError {
  constructor(message: string) {
    super(503, message, { "Retry-After": String(retryAfterSeconds) });
  }
}

export const notFound = (message: string): HttpError => new HttpError(404, message);
export const forbidden = (message: string): HttpError => new HttpError(403, message);
