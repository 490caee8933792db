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

/** 422: the request does not have the form that the operation asks for. */
export class Invalid extends HttpError {
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[]) {
    super(422, issues.map(({ msg }) => msg).join("; "));
    this.issues = issues;
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
