import { describe, expect, test } from "vitest";
import { believableClock } from "./system-clock.ts";

const hour = 3_600_000;
const year = 365 * 24 * hour;

/** A machine whose clock is set by hand, and its believable clock. */
function machine(at: number) {
  const shown = { wall: at, steady: 0 };
  const clock = believableClock(
    () => shown.wall,
    () => shown.steady,
  );
  return {
    now: () => clock.now(),
    pass: (ms: number) => {
      shown.wall += ms;
      shown.steady += ms;
    },
    set: (wall: number) => (shown.wall = wall),
  };
}

describe("the machine's time", () => {
  const start = Date.UTC(2026, 10, 20);

  test("is followed through corrections and through a sleep of weeks", () => {
    const { now, pass, set } = machine(start);
    pass(hour);
    expect(now()).toBe(start + hour);
    set(start + 60 * 24 * hour);
    expect(now()).toBe(start + 60 * 24 * hour);
    set(start + 59 * 24 * hour);
    expect(now()).toBe(start + 59 * 24 * hour);
  });

  test.each([30 * year, -30 * year])("is not believed while it is %i ms away", (leap) => {
    const { now, pass, set } = machine(start);
    set(start + leap);
    pass(hour);
    expect(now()).toBe(start + hour);
    pass(hour);
    expect(now()).toBe(start + 2 * hour);
    set(start + 3 * hour);
    expect(now()).toBe(start + 3 * hour);
  });

  test("may leap to the right time from one before the contract was written", () => {
    const { now, set } = machine(0);
    set(start);
    expect(now()).toBe(start);
  });
});
