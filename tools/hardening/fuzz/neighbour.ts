import { once } from "node:events";
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { Subject } from "./subject.ts";

/**
 * What another client saw while a server was attacked. Waits are measured by the server's work meanwhile, since other
 * work on the machine prolongs them too.
 */
export interface Neighbour {
  /** The 99th percentile of the waits for /healthz, in units. */
  health: number;
  /** The same of Calls and Discovers of another account. */
  calls: number;
  /** The work of an idle server on the largest lawful request, on the same machine at the same time: the mean, in ms. */
  unitMs: number;
  /** How many of the other account's requests were answered 200, and 503. */
  served: number;
  busy: number;
  /** Answers that it should not have received. */
  failures: string[];
}

/** Where a server that was started here listens, and its process. */
export type Watched = Pick<Subject, "baseUrl" | "pid">;

/**
 * Keeps asking a server that is attacked for its health, and sends another account's Calls and Discovers in turn with
 * the largest lawful request to an idle server. In a thread of its own, since the attack keeps its own thread busy.
 */
export function watchNeighbour(attacked: Watched, idle: Watched): { end(): Promise<Neighbour> } {
  const script = new URL(`neighbour-worker${extname(import.meta.url)}`, import.meta.url);
  const worker = new Worker(script, {
    workerData: [attacked, idle].map(({ baseUrl, pid }) => ({ baseUrl, pid })),
  });
  const result = once(worker, "message") as Promise<[Neighbour]>;
  return {
    async end() {
      worker.postMessage("end");
      return (await result)[0];
    },
  };
}
