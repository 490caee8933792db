/** What this project uses of autocannon, which brings no types. */
declare module "autocannon" {
  interface Request {
    method?: "GET" | "POST";
    path: string;
    headers?: Record<string, string>;
    body?: string;
  }
  /** One connection of a load. */
  interface Client {
    setRequests(requests: readonly Request[]): void;
    /** The headers of an answer have come: names and values in turn. */
    on(event: "headers", listener: (head: { statusCode: number; headers: string[] }) => void): void;
    /**
     * `request`: one is about to be sent. `response`: an answer has come, whole; the connection's next request is sent
     * afterwards.
     */
    on(event: "request" | "response", listener: () => void): void;
  }
  interface Options {
    url: string;
    connections: number;
    /** Seconds. */
    duration?: number;
    /** Requests in all, instead of a duration. */
    amount?: number;
    /** Seconds within which an answer must come. */
    timeout?: number;
    /** Milliseconds between two looks at the clock. */
    sampleInt?: number;
    requests: readonly Request[];
    setupClient?: (client: Client) => void;
    /** Called with the body of every answer, once the connection's next request is sent. */
    verifyBody?: (body: string) => boolean;
  }
  interface Result {
    /** Seconds that were measured. */
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
