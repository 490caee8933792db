import type { Exchange } from "./exchange.ts";

/** Tolerance for a coarse server clock and for proxy delay: only a wrong unit exceeds it. */
const tolerance = { factor: 10, milliseconds: 1000 };

/** Upper bound, by the client's clock, on the milliseconds a server can have worked on an exchange. */
export const longestOf = ({ duration_ms }: Pick<Exchange, "duration_ms">): number =>
  Math.ceil(tolerance.factor * duration_ms + tolerance.milliseconds);
