import { variation, type Variation } from "../mutant.ts";

/** Long enough for a burst of a whole quota on a busy machine, short enough to be waited for. */
const windowSeconds = 20;

/** How windows lie in time, and how large they are, which the contract leaves to the deployment. */
export const limitVariations: readonly Variation[] = [
  variation("lays windows on whole multiples of their length", "Limits: how windows lie is not stated", {
    config: { windowSeconds, windowKind: "aligned" },
  }),
  variation("begins a window with its first request", "Limits: how windows lie is not stated", {
    config: { windowSeconds, windowKind: "first-request" },
  }),
  variation("lets windows slide", "Limits: how windows lie is not stated", {
    config: { windowSeconds, windowKind: "sliding" },
  }),
  variation("has quotas of its own, which its profile declares", "Limits: default quota", {
    config: {
      windowSeconds,
      quotas: { discover: 70, inspect: 90, probe: 50, call: 80, anonymous: 100 },
    },
  }),
];
