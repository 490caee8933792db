/** The part of autocannon's API that this project uses; autocannon ships no types. */
declare module "autocannon" {
  interface Request {
    method: string;
    path: string;
    headers?: Record<string, string>;
    body?: string;
  }
  /** A connection of a load. What begins with an underscore is not documented. */
  interface Client {
    destroyed: boolean;
    parser: Parser;
    pipelinedRequests: { clear(): void };
    setRequests(requests: readonly Request[]): void;
    on(event: "connError", listener: (error: Error) => void): void;
    on(event: "headers", listener: (head: Head) => void): void;
    destroy(): void;
    _connect(): void;
    _doRequest(): void;
    _resetConnection(): void;
  }
  interface Head {
    statusCode: number;
    headers: string[];
    shouldKeepAlive: boolean;
  }
  /** Its parser, of http-parser-js. */
  interface Parser {
    constructor: { kOnBody: number; kOnMessageComplete: number; maxHeaderSize: number };
    /** @returns an Error if the bytes are not HTTP */
    execute(bytes: Buffer): unknown;
    finish(): unknown;
    reinitialize(type: "RESPONSE"): void;
    [event: number]: ((...args: never[]) => void) | undefined;
  }
  interface Options {
    url: string;
    connections: number;
    /** In seconds. */
    duration?: number;
    /** Total number of requests, instead of a duration. */
    amount?: number;
    /** The longest time without an answer, in seconds. */
    timeout?: number;
    /** Interval in milliseconds between checks of the clock. */
    sampleInt?: number;
    skipAggregateResult?: boolean;
    tlsOptions?: object;
    requests?: readonly Request[];
    /** Called for each connection of the load. */
    setupClient?: (client: Client) => void;
  }
  interface Result {
    /** Measured time in seconds. */
    duration: number;
    "2xx": number;
    non2xx: number;
    errors: number;
    timeouts: number;
  }
  export default function autocannon(options: Options): Promise<Result>;
}
