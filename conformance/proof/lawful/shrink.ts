/**
 * The smallest part of a list that still fails, by delta debugging: halves first, then ever smaller parts are left out.
 * @param fails whether a part fails; the whole list does
 */
export async function shrunk<One>(
  list: readonly One[],
  fails: (part: readonly One[]) => Promise<boolean>,
): Promise<readonly One[]> {
  let left = list;
  let parts = 2;
  while (left.length > 1) {
    const size = Math.ceil(left.length / parts);
    const cuts = Array.from({ length: Math.ceil(left.length / size) }, (_, index) => index * size);
    const chunks = cuts.map((from) => left.slice(from, from + size));
    const rests = parts === 2 ? [] : cuts.map((from) => left.toSpliced(from, size));
    let smaller: readonly One[] | undefined;
    for (const part of [...chunks, ...rests]) {
      if (await fails(part)) {
        smaller = part;
        break;
      }
    }
    if (smaller !== undefined) {
      left = smaller;
      parts = chunks.includes(smaller as One[]) ? 2 : Math.max(2, parts - 1);
    } else if (size > 1) parts = Math.min(left.length, parts * 2);
    else break;
  }
  return left;
}
