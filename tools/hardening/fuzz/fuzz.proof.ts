import { randomInt } from "node:crypto";
import { expect, it } from "vitest";
import { fuzz } from "./run.ts";
import { startedSubject } from "./subject.ts";

/** `.ci/run` sends some of them, and thousands of other requests. */
const requests = 800;

it("finds no input that breaks the reference server", async () => {
  const seed = randomInt(2 ** 31);
  console.info(
    `fuzz proof, seed ${seed}: npm run fuzz -- --corpus hostile --requests ${requests} --seed ${seed}`,
  );
  const subject = await startedSubject();
  try {
    const { findings, sent, statuses, memory } = await fuzz(subject, {
      requests,
      seed,
      corpus: "hostile",
    });
    expect(findings).toEqual([]);
    expect(sent).toBe(requests);
    expect(Object.keys(statuses)).toEqual(expect.arrayContaining(["200", "401", "422"]));
    expect(memory!.most).toBeGreaterThan(0);
  } finally {
    await subject.stop();
  }
});
