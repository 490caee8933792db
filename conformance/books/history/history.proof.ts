import { expect, test } from "vitest";
import { History } from "./history.ts";
import { simulate } from "./simulated.fixture.ts";

const seed = Math.floor(Math.random() * 2 ** 31);

/** Measures the core seconds that it takes to read and judge the exchanges of so many operations. */
function measureOf(operations: number): () => number {
  const { taken, restFrom } = simulate({ seed, operations, clients: 16 });
  return () => {
    const before = process.cpuUsage();
    const history = new History({ lagSeconds: 0, isComplete: true });
    for (const { exchange, when } of taken) history.take(exchange, when);
    expect(history.judge(() => restFrom).contradictions).toEqual([]);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1e6;
  };
}

test(`200,000 operations are judged in at most 2.6 times the time of 100,000 (seed ${seed})`, () => {
  const measures = [measureOf(100_000), measureOf(200_000)] as const;
  // The median of five, in turn: others use the machine, and the first has new memory.
  const rounds = [1, 2, 3, 4, 5].map(() => measures.map((measure) => measure()) as [number, number]);
  const ratios = rounds.map(([one, two]) => two / one).sort((one, other) => one - other);
  console.info(
    rounds.map(([one, two]) => `${one.toFixed(1)} s and ${two.toFixed(1)} s`).join(", "),
    ratios.map((ratio) => ratio.toFixed(2)).join(" "),
  );
  // In linear time, beside what other programs take of the caches.
  expect(ratios[2]).toBeLessThan(2.6);
});
