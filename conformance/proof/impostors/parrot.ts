import { mostSimilar, record } from "./recording.ts";
import { serving } from "./serving.ts";
import type { Impostor } from "./impostor.ts";

/** Gives the recorded answer to the most similar request of a complete run. */
export const parrot: Impostor = {
  name: "a parrot of a recorded run",
  cannot: ["remember"],
  perform: async (stage, profile, use) =>
    serving(mostSimilar(await record(stage)), (baseUrl) => use({ ...profile, base_url: baseUrl })),
};

/** The same, but with only successful answers recorded. */
export const sycophant: Impostor = {
  name: "a sycophant to whom all has gone well",
  cannot: ["remember", "refuse"],
  perform: async (stage, profile, use) => {
    const successes = (await record(stage)).filter(({ answer }) => answer.status === 200);
    return serving(mostSimilar(successes), (baseUrl) => use({ ...profile, base_url: baseUrl }));
  },
};
