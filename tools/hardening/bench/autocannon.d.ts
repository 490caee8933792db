/** The part of autocannon's API that this project uses; autocannon ships no types. */
declare module "autocannon" {
  interface Request {
    method: "GET" | "POST";
    path: string;
    headers?: Record<string, string>;
    body?: string;
  }
  interface Options {
    url: string;
    connections: number;
    /** In seconds. */
    duration?: number;
    /** Total number of requests, instead of a duration. */
    amount?: number;
    /** Interval in milliseconds between checks of the clock. */
    sampleInt?: number;
    requests: readonly Request[];
    /** Called for each connection of the load. */
    setupClient?: (client: { setRequests(requests: readonly Request[]): void }) => void;
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
