/** How long work may go on before the server looks for other arrivals, in ms. */
const sliceMs = 10;

/** When the slice of this turn of the event loop ends; null before its first work. */
let endsAt: number | null = null;

/**
 * Resolves when the event loop has time for more work: in the next turn, or a later one where the work before it takes
 * longer than a slice. Requests that arrive together are thus worked on together, and their writes share a commit.
 */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      const now = performance.now();
      if (endsAt === null) {
        endsAt = now + sliceMs;
        setImmediate(() => (endsAt = null));
      }
      if (now < endsAt) resolve();
      else setImmediate(look);
    };
    setImmediate(look);
  });
}
