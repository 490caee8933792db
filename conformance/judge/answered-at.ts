import type { Exchange } from "./exchange.ts";

/** Under load the same second is formatted many times in a row. */
let newest = { text: "", at: NaN };

function instantOf(text: string): number {
  if (text !== newest.text) newest = { text, at: Date.parse(text) };
  return newest.at;
}

/** The time of an answer in epoch seconds, by the server's clock where it is stated. */
export function answeredAt(answer: {
  headers: Readonly<Record<string, string>>;
  exchange: Pick<Exchange, "started_at" | "duration_ms">;
}): { seconds: number; isStated: boolean } {
  const date = instantOf(answer.headers["date"] ?? "");
  const isStated = !Number.isNaN(date);
  const { started_at: startedAt, duration_ms: took } = answer.exchange;
  return { seconds: (isStated ? date : startedAt + took) / 1000, isStated };
}
