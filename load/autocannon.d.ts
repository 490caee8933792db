/** What this project uses of autocannon, which brings no types. */
declare module "autocannon" {
  interface Request {
    method?: "GET" | "POST";
    path: string;
    headers?: Record<string, string>;
    body?: string;
    /** Called with every answer to this request; a header that came twice is a list. */
    onResponse?: (
      status: number,
      body: string,
      context: object,
      headers: Record<string, string | string[]>,
    ) => void;
  }
  /** One connection of a load. */
  interface Client {
    setRequests(requests: readonly Request[]): void;
    on(event: "request", listener: () => void): void;
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
