/** The clock of a load. */
export interface Clock {
  /** Epoch milliseconds with fractions; never decreases. */
  now(): number;
  /** Resolves after some milliseconds, or at the next turn of the event loop if almost none are left. */
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
