import type { Quotas } from "./config.ts";

const unlimited = 1_000_000_000;

/** Quotas that are out of the way of whatever is tried or measured. */
export const unlimitedQuotas: Quotas = {
  discover: unlimited,
  inspect: unlimited,
  probe: unlimited,
  call: unlimited,
  anonymous: unlimited,
};
