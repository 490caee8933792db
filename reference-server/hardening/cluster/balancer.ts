import { findNginx, startNginx } from "./nginx.ts";
import { roundRobin } from "./round-robin.ts";

/** The load balancer in front of the servers of a cluster. */
export interface Balancer {
  /** The address for clients, as `http://host:port`. */
  origin: string;
  /** A description for the terminal. */
  name: string;
  close(): Promise<void>;
}

/** nginx with the deployed configuration where it is installed; otherwise our own balancer, whose name says so. */
export async function balance(origins: readonly string[]): Promise<Balancer> {
  const nginx = findNginx();
  if (nginx !== null) return startNginx(nginx, origins);
  return { ...(await roundRobin(origins)), name: "a balancer of our own (nginx is not installed)" };
}
