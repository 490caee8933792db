/** The last long read of each account that has any under way. */
const lasts = new Map<string, Promise<unknown>>();

/**
 * Performs a long read after the other ones of its account, so that no account keeps all connections to the database
 * busy: others wait for one read of each, not for all.
 */
export function inTurn<T>(accountId: string, read: () => Promise<T>): Promise<T> {
  const mine = (lasts.get(accountId) ?? Promise.resolve()).then(read);
  const settled: Promise<unknown> = mine
    .catch(() => undefined)
    .then(() => {
      if (lasts.get(accountId) === settled) lasts.delete(accountId);
    });
  lasts.set(accountId, settled);
  return mine;
}
