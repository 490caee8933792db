import type { Exchange } from "./exchange.ts";
import type { Seen } from "./seen.ts";

/** One exchange of a recording, as a rule across exchanges sees it. */
export interface Passing {
  exchange: Exchange;
  /** The parsed answer, without what the recording omits; null when there was none, or its body was not recorded. */
  seen: Seen | null;
  /** The answer is unknown, because no complete answer was received. */
  lost: boolean;
  /** Epoch milliseconds at which the answer was complete or the client gave up. */
  ended: number;
  /** Begin and end may be off by this, in ms: infinite where the recording does not say. */
  doubtMs: number;
}

/** Whether an exchange surely began after an earlier one had ended: overlapping ones prove nothing. */
export const isSurelyAfter = (
  { exchange, doubtMs }: Pick<Passing, "exchange" | "doubtMs">,
  before: Pick<Passing, "ended" | "doubtMs">,
): boolean => before.ended + before.doubtMs <= exchange.started_at - doubtMs;
