/** A request from a sample client. */
export interface ClientRequest {
  method: "GET" | "POST";
  url: string;
  headers: Record<string, string>;
  body?: string;
}

/** A complete answer. */
export interface ClientAnswer {
  status: number;
  /** By lower-case name. */
  headers: Record<string, string>;
  body: string;
}

/** Sends a request; null when there is no complete answer. */
export type Send = (request: ClientRequest) => Promise<ClientAnswer | null>;

/** The dependencies of a client. */
export interface Surroundings {
  /** Ends in /api/v1. */
  baseUrl: string;
  key: string;
  send: Send;
  /** Resolves after the given number of milliseconds. */
  sleep: (ms: number) => Promise<void>;
}
