import type { Act, Micro } from "./act.ts";

/** What became of the Calls without an answer: a number of them is charged, or it is undecided. */
export type Decision = { kind: "decided"; charged: number } | { kind: "undecided"; why: string };

/** The most combinations that are tried. */
const maxSteps = 200_000;

/**
 * Decides, where no row names its Call, how many of the unanswered Calls were charged: as many of each price as explain
 * the fall of the balance, with the charges of the others. Calls of one price are alike, so eight or two hundred take
 * as many steps as there are ways to divide the sum; a longer search gives up. A Call's answer shows only its price
 * before settlement: if prices do not add up to the fall of the balance, nothing is wrong.
 * @param writes those of one account
 * @param fell how far the balance fell from before the first of them until rest
 */
export function decideUnanswered(writes: readonly Act[], fell: Micro): Decision {
  const prices = new Map<string, Set<Micro | null>>();
  let due = fell;
  for (const { write } of writes) {
    if (write!.outcome !== "executed") continue;
    due -= write!.cost ?? 0;
    if (write!.succeeded) prices.set(write!.tool, (prices.get(write!.tool) ?? new Set()).add(write!.cost));
  }
  const groups = new Map<Micro, number>();
  for (const { write } of writes) {
    if (write!.outcome !== "unknown") continue;
    const known = [...(prices.get(write!.tool) ?? [])];
    const [price] = known;
    if (known.length !== 1 || price == null)
      return { kind: "undecided", why: `no single price of ${write!.tool} was seen` };
    if (price > 0) groups.set(price, (groups.get(price) ?? 0) + 1);
  }
  const found = new Set<number>();
  const isWhole = search(
    [...groups].sort(([one], [other]) => other - one),
    due,
    found,
  );
  if (!isWhole)
    return { kind: "undecided", why: `the search for their charges gave up after ${maxSteps} steps` };
  if (found.size === 0)
    return { kind: "undecided", why: `no sum of their prices is the ${due / 1e6} credits that are missing` };
  const [charged] = found;
  return found.size === 1
    ? { kind: "decided", charged: charged! }
    : {
        kind: "undecided",
        why: `${[...found].sort((one, other) => one - other).join(" or ")} charges explain the balance`,
      };
}

/** Collects how many charges of the given prices add up to what is due. @returns whether it finished */
function search(
  groups: readonly (readonly [price: Micro, max: number])[],
  due: Micro,
  found: Set<number>,
): boolean {
  let steps = 0;
  const tried = new Set<string>();
  const go = (at: number, left: Micro, charged: number): boolean => {
    if (left === 0) found.add(charged);
    const group = groups[at];
    if (group === undefined || left <= 0) return true;
    const key = `${at} ${left} ${charged}`;
    if (tried.has(key)) return true;
    tried.add(key);
    const [price, max] = group;
    for (let count = Math.min(max, Math.floor(left / price)); count >= 0; count -= 1) {
      steps += 1;
      if (steps > maxSteps) return false;
      if (!go(at + 1, left - count * price, charged + count)) return false;
    }
    return true;
  };
  return go(0, due, 0);
}
