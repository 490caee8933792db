import { findNginx, startNginx } from "./nginx.ts";
import { roundRobin } from "./round-robin.ts";

/** What stands before the servers of a cluster. */
export interface Balancer {
  /** Where clients reach it, as `http://host:port`. */
  origin: string;
  /** For people: what it is. */
  name: string;
  close(): Promise<void>;
}

/** nginx as it is deployed where it is installed; else a balancer of our own, whose name says so. */
export async function balance(origins: readonly string[]): Promise<Balancer> {
  const nginx = findNginx();
  if (nginx !== null) return startNginx(nginx, origins);
  return { ...(await roundRobin(origins)), name: "a balancer of our own (nginx is not installed)" };
}
