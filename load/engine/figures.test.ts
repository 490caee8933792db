import { expect, test } from "vitest";
import { sentAfter } from "./sent.fixture.ts";
import { answersFor, Figures, isTrusted } from "./figures.ts";
import { Unfinished } from "./request.ts";

/** Two workers, one with a fast and one with a slow server, and the figures that one process would have counted. */
function counted(): { one: Figures; other: Figures; both: Figures } {
  const [one, other, both] = [new Figures(), new Figures(), new Figures()];
  for (let index = 0; index < 1000; index += 1) {
    const fast = sentAfter(1 + (index % 10), { sentAt: 1_000_000 + index });
    const slow = sentAfter(500 + index, {
      step: index % 2 === 0 ? "discover" : "call",
      status: index % 3 === 0 ? 429 : 200,
      sentAt: 1_000_000 + index,
    });
    one.take(fast);
    other.take(slow);
    both.take(fast);
    both.take(slow);
  }
  one.takeWhole(200, 40, ", 5/s");
  both.takeWhole(200, 40, ", 5/s");
  for (const figures of [other, both]) {
    const { request, sentAt, answeredAt } = sentAfter(5);
    for (let index = 0; index < 3; index += 1)
      figures.take({ request, sentAt, answeredAt, answer: new Error("socket hang up") });
    figures.take({ request, sentAt, answeredAt: sentAt + 9_000, answer: new Unfinished() });
    figures.started(12);
  }
  return { one, other, both };
}

test("what workers have counted is added, not averaged", () => {
  const { one, other, both } = counted();
  // As it is sent between processes.
  one.add(JSON.parse(JSON.stringify(other.pack())) as ReturnType<Figures["pack"]>);
  expect(one.answers).toBe(2000);
  expect(one.errors).toBe(3);
  expect(one.unfinished).toBe(1);
  expect(one.lateness).toEqual(both.lateness);
  expect(one.steps.toSorted(byName)).toEqual(both.steps.toSorted(byName));
  expect(one.seconds).toEqual(both.seconds);
  // Half of the answers are fast, so an average of the workers' medians would lie within the slow half.
  expect(one.merged().getValueAtPercentile(49) / 1000).toBeLessThan(11);
  expect(one.merged().getValueAtPercentile(51) / 1000).toBeGreaterThan(499);
});

const byName = (one: { step: string }, other: { step: string }): number => (one.step < other.step ? -1 : 1);

test("percentiles are over all answers, and also by status", () => {
  const figures = new Figures();
  for (let index = 0; index < 90; index += 1) figures.take(sentAfter(10));
  for (let index = 0; index < 10; index += 1) figures.take(sentAfter(1000, { status: 429 }));
  const [discover] = figures.steps;
  expect(discover!.all).toMatchObject({ count: 100 });
  expect(discover!.all.p95_ms).toBeGreaterThan(990);
  expect(discover!.by_status["200"]!.p99_ms).toBeLessThan(10.1);
  expect(discover!.by_status["429"]).toMatchObject({ count: 10 });
});

test("a whole path is a step of its own, and not another request", () => {
  const figures = new Figures();
  figures.take(sentAfter(10));
  figures.takeWhole(200, 900, "");
  expect(figures.answers).toBe(1);
  expect(figures.steps.map(({ step, all }) => [step, all.count])).toEqual([
    ["all", 1],
    ["discover", 1],
    ["whole path", 1],
  ]);
});

test("a second counts what was admitted, refused and lost in it", () => {
  const figures = new Figures();
  figures.take(sentAfter(10, { sentAt: 5_000 }));
  figures.take(sentAfter(10, { sentAt: 5_100, status: 429 }));
  figures.take(sentAfter(10, { sentAt: 7_000 }));
  expect(figures.seconds).toMatchObject([
    { at: 5_000, admitted: 1, refused: 1, errors: 0 },
    { at: 7_000, admitted: 1, refused: 0, errors: 0 },
  ]);
});

test("a request that is unfinished when the load ends counts with the time that it has waited", () => {
  const figures = new Figures();
  for (let index = 0; index < 98; index += 1) figures.take(sentAfter(10));
  for (let index = 0; index < 2; index += 1) figures.take({ ...sentAfter(9_000), answer: new Unfinished() });
  expect(figures.answers).toBe(98);
  expect(figures.merged().getValueAtPercentile(99) / 1000).toBeGreaterThan(8_900);
});

test("a percentile is trusted from ten answers beyond it on", () => {
  expect([50, 90, 99, 99.9].map(answersFor)).toEqual([20, 100, 1_000, 10_000]);
  expect([isTrusted(99, 388), isTrusted(99, 1_000), isTrusted(100, 1)]).toEqual([false, true, true]);
});
