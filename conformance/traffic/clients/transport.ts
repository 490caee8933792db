/** A request as a sample client sends it. */
export interface ClientRequest {
  method: "GET" | "POST";
  url: string;
  headers: Record<string, string>;
  body?: string;
}

/** What came back, whole. */
export interface ClientAnswer {
  status: number;
  /** By lower-case name. */
  headers: Record<string, string>;
  body: string;
}

/** Sends a request; null when no whole answer came. */
export type Send = (request: ClientRequest) => Promise<ClientAnswer | null>;

/** What a client is made of, beside its own decisions. */
export interface Surroundings {
  /** Ends in /api/v1. */
  baseUrl: string;
  key: string;
  send: Send;
  /** Resolves after so many milliseconds. */
  sleep: (ms: number) => Promise<void>;
}
