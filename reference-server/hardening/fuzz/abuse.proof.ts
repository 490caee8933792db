import { randomInt } from "node:crypto";
import { expect, it } from "vitest";
import { abuse, abuseBounds } from "./abuse.ts";
import { startedSubject } from "./subject.ts";

it("keeps the server within its bounds, and another account at work", async () => {
  const seed = randomInt(2 ** 31);
  console.info(`abuse test, seed ${seed}: npm run abuse -- --seconds 5 --seed ${seed}`);
  const subject = await startedSubject(abuseBounds.heapMebibytes);
  try {
    // Other test files compete for the machine.
    const report = await abuse(subject, { seconds: 5, seed, lanes: 6, healthzMs: 10_000 });
    expect(report.findings).toEqual([]);
    expect(report.sent).toBeGreaterThan(10);
    expect(report.statuses).toHaveProperty("200");
    expect(report.statuses).toHaveProperty("422");
  } finally {
    await subject.stop();
  }
});
