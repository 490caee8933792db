import { expect, test } from "vitest";
import { History } from "./history.ts";
import { simulate } from "./simulated.fixture.ts";

const seed = Math.floor(Math.random() * 2 ** 31);

/** Seconds of a core in which the exchanges of so many operations are read and judged. */
function secondsOf(operations: number): number {
  const { taken, restFrom } = simulate({ seed, operations, clients: 16 });
  const before = process.cpuUsage();
  const history = new History({ lagSeconds: 0, isComplete: true });
  for (const { exchange, when } of taken) history.take(exchange, when);
  expect(history.judge(() => restFrom).contradictions).toEqual([]);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

test(`200,000 operations are judged in 2.2 times the time of 100,000 (seed ${seed})`, () => {
  secondsOf(10_000);
  // The best of three, in turn: others use the machine.
  const pairs = [1, 2, 3].map(() => [secondsOf(100_000), secondsOf(200_000)] as const);
  const [one, two] = [0, 1].map((size) => Math.min(...pairs.map((pair) => pair[size]!))) as [number, number];
  console.info(`100,000 operations in ${one.toFixed(1)} s, 200,000 in ${two.toFixed(1)} s`);
  expect(two / one).toBeLessThan(2.2);
});
