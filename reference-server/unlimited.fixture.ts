import type { Quotas } from "./config.ts";

const unlimited = 1_000_000_000;

/** Quotas too high to interfere with a test or a measurement. */
export const unlimitedQuotas: Quotas = {
  discover: unlimited,
  inspect: unlimited,
  probe: unlimited,
  call: unlimited,
  anonymous: unlimited,
};
