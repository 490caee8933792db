/** The clock of a load. */
export interface Clock {
  /** Epoch milliseconds with fractions; never decreases. */
  now(): number;
  /** Resolves after some milliseconds, at least one. */
  pause(milliseconds: number): Promise<void>;
}

export const machineClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  // A shorter pause by setImmediate would keep a core busy.
  pause: (milliseconds) => new Promise((resolve) => setTimeout(resolve, Math.max(1, milliseconds))),
};

/** A clock whose pauses end when a signal is aborted, by rejecting with its reason. */
export const interruptible = (clock: Clock, signal: AbortSignal): Clock => ({
  now: () => clock.now(),
  async pause(milliseconds) {
    signal.throwIfAborted();
    let abort: (() => void) | undefined;
    const aborted = new Promise<never>((_, reject) => {
      abort = () => reject(signal.reason as Error);
      signal.addEventListener("abort", abort, { once: true });
    });
    try {
      await Promise.race([clock.pause(milliseconds), aborted]);
    } finally {
      signal.removeEventListener("abort", abort!);
    }
  },
});
