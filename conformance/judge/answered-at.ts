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
  // Read only where needed: a recording may omit it.
  const milliseconds = isStated ? date : answer.exchange.started_at + answer.exchange.duration_ms;
  return { seconds: milliseconds / 1000, isStated };
}
