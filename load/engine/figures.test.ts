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
  one.takeWhole(200, true, 40, ", 5/s");
  both.takeWhole(200, true, 40, ", 5/s");
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
  expect(one.unanswered).toBe(3);
  expect(one.unfinished).toBe(1);
  expect(one.lateness).toEqual(both.lateness);
  expect(one.steps.toSorted(byName)).toEqual(both.steps.toSorted(byName));
  expect(one.seconds).toEqual(both.seconds);
  // Three in five of the successes are fast, so an average of the workers' medians would lie within the slow ones.
  expect(one.latencies().getValueAtPercentile(59) / 1000).toBeLessThan(11);
  expect(one.latencies().getValueAtPercentile(61) / 1000).toBeGreaterThan(499);
});

const byName = (one: { step: string }, other: { step: string }): number => (one.step < other.step ? -1 : 1);

test("percentiles are of expected answers, and others stand apart by status", () => {
  const figures = new Figures();
  for (let index = 0; index < 90; index += 1) figures.take(sentAfter(10));
  for (let index = 0; index < 300; index += 1) figures.take(sentAfter(1, { status: 503 }));
  const [discover] = figures.steps;
  expect(discover!.expected).toMatchObject({ count: 90 });
  expect(discover!.expected.p50_ms).toBeGreaterThan(9.9);
  expect(discover!.by_status).toMatchObject([
    { status: 200, expected: true, count: 90 },
    { status: 503, expected: false, count: 300 },
  ]);
  expect([figures.answers, figures.expected, figures.failed]).toEqual([390, 90, 300]);
});

test("a whole path is a step of its own, and not another request", () => {
  const figures = new Figures();
  figures.take(sentAfter(10));
  figures.takeWhole(200, true, 900, "");
  expect(figures.answers).toBe(1);
  expect(figures.steps.map(({ step, expected }) => [step, expected.count])).toEqual([
    ["all", 1],
    ["discover", 1],
    ["whole path", 1],
  ]);
});

test("a second counts what was expected, refused and failed in it", () => {
  const figures = new Figures();
  figures.take(sentAfter(10, { sentAt: 5_000 }));
  figures.take(sentAfter(10, { sentAt: 5_100, status: 429 }));
  figures.take(sentAfter(10, { sentAt: 7_000 }));
  expect(figures.seconds).toMatchObject([
    { at: 5_000, expected: 1, refused: 1, failed: 0 },
    { at: 7_000, expected: 1, refused: 0, failed: 0 },
  ]);
});

test("a request that is unfinished when the load ends counts with the time that it has waited", () => {
  const figures = new Figures();
  for (let index = 0; index < 98; index += 1) figures.take(sentAfter(10));
  for (let index = 0; index < 2; index += 1) figures.take({ ...sentAfter(9_000), answer: new Unfinished() });
  expect(figures.answers).toBe(98);
  expect(figures.latencies().getValueAtPercentile(99) / 1000).toBeGreaterThan(8_900);
});

test("a percentile is trusted from ten answers beyond it on", () => {
  expect([50, 90, 99, 99.9].map(answersFor)).toEqual([20, 100, 1_000, 10_000]);
  expect([isTrusted(99, 388), isTrusted(99, 1_000), isTrusted(100, 1)]).toEqual([false, true, true]);
});
