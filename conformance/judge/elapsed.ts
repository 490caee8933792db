import type { Seen } from "./seen.ts";

/** The times that a server measures may be rough, and a proxy may stand between: only another unit is meant here. */
const roughly = { factor: 10, milliseconds: 1000 };

/** The most milliseconds that a server can say that an exchange took, by the client's clock. */
export const longestOf = ({ exchange }: Seen): number =>
  roughly.factor * exchange.duration_ms + roughly.milliseconds;
