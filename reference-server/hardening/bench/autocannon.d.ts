/** The part of autocannon's API that this project uses; autocannon ships no types. */
declare module "autocannon" {
  import type { Socket } from "node:net";

  interface Request {
    method?: "GET" | "POST";
    path: string;
    headers?: Record<string, string>;
    body?: string;
  }
  /** One connection of a load. */
  interface Client {
    /** Its current connection; after an error it opens another. */
    readonly conn: Socket;
    setRequests(requests: readonly Request[]): void;
    /** The headers of an answer have arrived: names and values in turn. */
    on(event: "headers", listener: (head: { statusCode: number; headers: string[] }) => void): void;
    on(event: "body", listener: (chunk: Buffer) => void): void;
    /**
     * `request`: one is about to be sent. `response`: a whole answer has arrived; the connection sends its next request
     * afterwards.
     */
    on(event: "request" | "response", listener: () => void): void;
  }
  interface Options {
    url: string;
    connections: number;
    /** In seconds. */
    duration?: number;
    /** Total number of requests, instead of a duration. */
    amount?: number;
    /** Timeout of an answer in seconds. */
    timeout?: number;
    /** Interval in milliseconds between checks of the clock. */
    sampleInt?: number;
    requests: readonly Request[];
    setupClient?: (client: Client) => void;
    /** Called with the body of every answer, after the connection has sent its next request. */
    verifyBody?: (body: string) => boolean;
  }
  interface Result {
    /** Measured time in seconds. */
    duration: number;
    "2xx": number;
    non2xx: number;
    errors: number;
    timeouts: number;
  }
  interface Instance extends Promise<Result> {
    stop(): void;
  }
  export default function autocannon(options: Options): Instance;
}
