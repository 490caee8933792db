import { alternateVariants } from "./alternate.ts";
import type { Bench } from "./figure.ts";
import { aspects, subjects } from "./generated-tools.ts";
import { searches } from "./requests.ts";
import { medianThroughput, shareOf } from "./rounds.ts";
import { asItIs } from "./variants.ts";

const few = 24;
const many = 10_000;

/** As many as both catalogues can answer. */
const limit = 5;

/** Several thousand different queries, so that not only remembered rankings are measured. */
function queries(): string[] {
  const all: string[] = [];
  for (const subject of subjects) {
    for (const aspect of aspects) {
      for (const second of subjects) {
        for (const other of aspects) all.push(`${aspect} of ${subject} or ${other} of ${second}`);
      }
    }
  }
  // Every 7th, around and around: neighbours differ in more than their last word.
  return all.map((_, index) => all[(index * 7) % all.length]!);
}

/** Discover over ten thousand tools, against the same server with twenty-four. */
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
