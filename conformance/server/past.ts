import type { Exchange } from "../judge/exchange.ts";

/** An Inspect: its event shows that the audit includes all that was sent before it. */
export interface Marker {
  session: string;
  searchId: unknown;
  /** By `performance.now()`. */
  sentAt: number;
  /** What the account had sent by then. */
  traces: number;
  /** Whether the audit was seen to show it. */
  isShown: boolean;
}

/** A setup that was made once, for all checks that build on it. */
interface Made {
  value: unknown;
  exchanges: readonly Exchange[];
  traces: number;
}

/** What an account has done in a run, known to the checks that borrow it in turn. */
export class Past {
  /** The newest executions whose usage events have not yet been waited for. */
  readonly owed: string[] = [];
  readonly made = new Map<string, Made>();
  /** Requests of the checks before this one that may have left an event. */
  traces = 0;
  marker: Marker | undefined;
}
