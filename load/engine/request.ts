/** Header names in lower case; repeated headers are joined with ", ". */
export type Headers = Record<string, string>;

/** A request that a load sends once or many times. */
export interface Request {
  /** The group in the figures. */
  step: string;
  method: string;
  /** Below the base URL, with its query. */
  path: string;
  headers: Headers;
  body: string | null;
}

export interface Answer {
  status: number;
  headers: Headers;
  body: string;
}

/** A request that was sent, and its answer or the reason why there is none. Times in epoch milliseconds with fractions. */
export interface Sent<R extends Request> {
  request: R;
  sentAt: number;
  answeredAt: number;
  answer: Answer | Error;
}

/** The reason why a request has no answer: the load ended first. */
export class Unfinished extends Error {
  constructor(message = "the load ended before the answer arrived") {
    super(message);
  }
}
