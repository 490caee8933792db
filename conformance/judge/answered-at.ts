import type { Exchange } from "./exchange.ts";
import { NotRecorded } from "./missing.ts";

/** Under load the same second is formatted many times in a row. */
let newest = { text: "", at: NaN };

function instantOf(text: string): number {
  if (text !== newest.text) newest = { text, at: Date.parse(text) };
  return newest.at;
}

interface Dated {
  headers: Readonly<Record<string, string>>;
  exchange: Pick<Exchange, "started_at" | "duration_ms">;
}

/** The time of an answer in epoch seconds, by the server's clock where it is stated. */
export function answeredAt(answer: Dated): { seconds: number; isStated: boolean } {
  const date = instantOf(answer.headers["date"] ?? "");
  const isStated = !Number.isNaN(date);
  // Read only where needed: a recording may omit it.
  return { seconds: isStated ? date / 1000 : recordedAt(answer), isStated };
}

const recordedAt = ({ exchange }: Dated): number => (exchange.started_at + exchange.duration_ms) / 1000;

/**
 * The times at which an answer may have been given, in epoch seconds: by its `Date`, which a server may take from a
 * cache that stands still, and by the recorder's clock. A server is right if it is right by one of them.
 */
export function witnessesOf(answer: Dated): { seconds: number; isStated: boolean }[] {
  const { seconds, isStated } = answeredAt(answer);
  if (!isStated) return [{ seconds, isStated }];
  const recorded = recordedOrNothing(answer);
  return [{ seconds, isStated }, ...(recorded === undefined ? [] : [{ seconds: recorded, isStated }])];
}

/** The time by the recorder's clock, where the recording shows it. */
function recordedOrNothing(answer: Dated): number | undefined {
  try {
    return recordedAt(answer);
  } catch (error) {
    if (error instanceof NotRecorded) return undefined;
    throw error;
  }
}
