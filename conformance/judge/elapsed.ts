import type { Exchange } from "./exchange.ts";

/** A server's clock may be rough, and a proxy may add its own delay: only a wrong unit exceeds this. */
const tolerance = { factor: 10, milliseconds: 1000 };

/** The most milliseconds that a server can have worked on an exchange, by the client's clock. */
export const longestOf = ({ duration_ms }: Pick<Exchange, "duration_ms">): number =>
  tolerance.factor * duration_ms + tolerance.milliseconds;
