import { alternateVariants } from "./alternate.ts";
import type { Bench } from "./figure.ts";
import { aspects, subjects } from "./generated-tools.ts";
import { searches } from "./requests.ts";
import { medianThroughput, shareOf } from "./rounds.ts";
import { asItIs } from "./variants.ts";

const few = 24;
const many = 10_000;

/** A number of results that both catalogues can give. */
const limit = 5;

/** Several thousand different queries, so that the measurement is not of the ranking cache alone. */
function queries(): string[] {
  const all: string[] = [];
  for (const subject of subjects) {
    for (const aspect of aspects) {
      for (const second of subjects) {
        for (const other of aspects) all.push(`${aspect} of ${subject} or ${other} of ${second}`);
      }
    }
  }
  // A stride of 7 makes neighbouring queries differ in more than their last word.
  return all.map((_, index) => all[(index * 7) % all.length]!);
}

/** Discover over 10,000 tools, compared with the same server over 24. */
export const discoverBench: Bench = {
  name: "discover",
  async run({ rounds, say }) {
    say(`Discover: ${many} tools and ${few}`);
    const asked = queries();
    const { large, small } = await alternateVariants(
      { large: { ...asItIs, tools: many }, small: { ...asItIs, tools: few } },
      (keys) => searches(keys, asked, limit),
      rounds,
    );
    return [
      {
        name: `Discover, ${many} tools`,
        says: `of the throughput over ${few} tools, ${asked.length} different queries`,
        ...shareOf(large, small),
        unit: "ratio",
        target: { kind: "least", value: 0.5 },
        measured: { large_per_second: medianThroughput(large), small_per_second: medianThroughput(small) },
      },
    ];
  },
};
