import { alternateVariants } from "./alternate.ts";
import type { Bench, Figure } from "./figure.ts";
import { paidCalls, searches } from "./requests.ts";
import { medianThroughput, shareOf } from "./rounds.ts";
import { asItIs } from "./variants.ts";

const loads = {
  "paid calls": paidCalls,
  "Discover of 20": (keys: readonly string[]) => searches(keys, ["weather", "company", "currency rate"]),
};

/** Validation of requests and answers, compared with the same server without it. */
export const validationBench: Bench = {
  name: "validation",
  async run({ rounds, say }) {
    const figures: Figure[] = [];
    for (const [name, requests] of Object.entries(loads)) {
      say(`contract validation: ${name}, with it and without`);
      const variants = { validated: asItIs, unjudged: { ...asItIs, validation: false } };
      const { validated, unjudged } = await alternateVariants(variants, requests, rounds);
      figures.push({
        name: `validation, ${name}`,
        says: "of the throughput of the same server without validation of requests and answers",
        ...shareOf(validated, unjudged),
        unit: "ratio",
        target: { kind: "least", value: 0.7 },
        measured: {
          validated_per_second: medianThroughput(validated),
          unjudged_per_second: medianThroughput(unjudged),
        },
      });
    }
    return figures;
  },
};
