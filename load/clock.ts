/** The time that a load goes by. */
export interface Clock {
  /** Epoch milliseconds with fractions, that never run backwards. */
  now(): number;
  /** Resolves after some milliseconds, at the next turn of the event loop where there is hardly one left. */
  pause(milliseconds: number): Promise<void>;
}

export const machineClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  pause: (milliseconds) =>
    new Promise((resolve) => {
      if (milliseconds > 1) setTimeout(resolve, milliseconds);
      else setImmediate(resolve);
    }),
};
