/** A question that waits for its answer. */
interface Asked<Value> {
  keys: readonly string[];
  resolve(found: ReadonlyMap<string, Value>): void;
  reject(error: unknown): void;
}

/**
 * Reads by key, gathered: keys asked for while a read is under way are read together afterwards, with one statement. No
 * question is answered by a read that began before it, so no answer is older than from a read of its own.
 * @param read reads some keys; keys that do not exist are missing from its answer
 */
export function gathered<Value>(
  read: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>> {
  let waiting: Asked<Value>[] = [];
  let reading = false;

  const readAll = async (): Promise<void> => {
    reading = true;
    // Requests that arrive together are read together.
    await new Promise(setImmediate);
    while (waiting.length > 0) {
      const asked = waiting;
      waiting = [];
      try {
        const found = await read([...new Set(asked.flatMap(({ keys }) => keys))]);
        for (const { resolve } of asked) resolve(found);
      } catch (error) {
        for (const { reject } of asked) reject(error);
      }
    }
    reading = false;
  };

  return (keys) =>
    new Promise((resolve, reject) => {
      waiting.push({ keys, resolve, reject });
      if (!reading) void readAll();
    });
}

/**
 * Some keys padded to one of few sizes with the last one, so that a statement over them has one of few texts and is
 * kept prepared.
 */
export function padded<Key>(keys: readonly Key[]): Key[] {
  const size = 2 ** Math.ceil(Math.log2(Math.max(keys.length, 1)));
  return [...keys, ...new Array<Key>(size - keys.length).fill(keys.at(-1)!)];
}
