import { clipped } from "../clipped.ts";

/** One fault of a request, as listed in 422 bodies. */
export interface Issue {
  /** Path to the value from the outermost part, such as `["body", "parameters", "city"]`. */
  loc: (string | number)[];
  /** What is wrong and what would be right. */
  msg: string;
  /** Stable code for programs, such as `missing`. */
  type: string;
  input?: unknown;
}

/**
 * An error answer to a request. Thrown by the gates in http/ and by operations; http/refusals.ts builds the body for
 * the operation.
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

/** 401: the credential is missing or not valid here. */
export class Unauthorized extends HttpError {
  constructor(message: string) {
    super(401, message, { "WWW-Authenticate": "Bearer" });
  }
}

/** The most issues in one answer, and the most characters of a client's text that each repeats. */
const maxIssues = 20;
const maxCharacters = 300;

const short = (text: string): string => clipped(text, maxCharacters);

/** The first issues and their total number, since an answer must not grow with the faults. */
function listed(issues: readonly Issue[]): Issue[] {
  const first = issues.slice(0, maxIssues).map(({ loc, msg, input, ...issue }) => ({
    ...issue,
    loc: loc.map((step) => (typeof step === "string" ? short(step) : step)),
    msg: short(msg),
    ...(input !== undefined && { input: typeof input === "string" ? short(input) : input }),
  }));
  if (issues.length <= maxIssues) return first;
  const msg = `${issues.length} things are wrong in all; these are the first ${maxIssues}`;
  return [...first, { loc: first[0]!.loc.slice(0, 1), msg, type: "more" }];
}

/** 422: the request does not have the form required by the operation. */
export class Invalid extends HttpError {
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[]) {
    const shown = listed(issues);
    super(422, shown.map(({ msg }) => msg).join("; "));
    this.issues = shown;
  }
}

/** 429: the account or the address has used up its window. */
export class RateLimited extends HttpError {
  constructor(quota: number, windowSeconds: number, retryAfter: number) {
    super(
      429,
      `The rate limit of ${quota} requests in ${windowSeconds} seconds is reached. Try again in ${retryAfter} seconds.`,
      { "Retry-After": String(retryAfter) },
    );
  }
}

/** Whole seconds until a retry is worthwhile when the server cannot serve. */
const retryAfterSeconds = 2;

/** 503: the server cannot serve at present, and will recover by itself. */
export class CannotServe extends HttpError {
  constructor(message: string) {
    super(503, message, { "Retry-After": String(retryAfterSeconds) });
  }
}

/** 404; the message may repeat the id that was asked for. */
export const notFound = (message: string): HttpError => new HttpError(404, short(message));
export const forbidden = (message: string): HttpError => new HttpError(403, message);
