/** What the benches use of autocannon, which brings no types. */
declare module "autocannon" {
  interface Request {
    method?: "GET" | "POST";
    path: string;
    headers?: Record<string, string>;
    body?: string;
  }
  interface Options {
    url: string;
    connections: number;
    /** Seconds. */
    duration?: number;
    /** Milliseconds between two looks at the clock. */
    sampleInt?: number;
    requests: readonly Request[];
  }
  interface Result {
    /** Seconds that were measured. */
    duration: number;
    "2xx": number;
    non2xx: number;
    errors: number;
    timeouts: number;
  }
  export default function autocannon(options: Options): Promise<Result>;
}
