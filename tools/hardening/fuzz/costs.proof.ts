import { randomInt } from "node:crypto";
import { expect, it } from "vitest";
import { fuzz } from "./run.ts";
import { startedSubject } from "./subject.ts";

it("keeps the server within its bounds, and another account served", async () => {
  const seed = randomInt(2 ** 31);
  console.info(`costs, seed ${seed}: npm run fuzz -- --corpus costly --requests 600 --seed ${seed}`);
  const subject = await startedSubject();
  const idle = await startedSubject();
  try {
    const { findings, statuses, neighbour } = await fuzz(subject, {
      requests: 600,
      seed,
      corpus: "costly",
      idle,
    });
    expect(findings).toEqual([]);
    expect(statuses).toHaveProperty("200");
    expect(statuses).toHaveProperty("422");
    expect(neighbour!.served).toBeGreaterThan(0);
  } finally {
    await subject.stop();
    await idle.stop();
  }
});
