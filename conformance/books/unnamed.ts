import { Located } from "../judge/answer.ts";
import { creditsOf, sameCredits } from "../judge/credits.ts";

/*
 * Reads answers by the kind of their values, where the contract does not show field names.
 */

/** A leaf of a JSON value, with its dotted path. */
interface Leaf {
  path: string;
  value: unknown;
}

function leavesOf(value: unknown, path: string): Leaf[] {
  const held = heldBy(value);
  if (typeof held !== "object" || held === null) return [{ path, value }];
  return Object.entries(held).flatMap(([name, member]) =>
    leavesOf(member, path === "" ? name : `${path}.${name}`),
  );
}

/** A value, or the JSON in its text: where no type is shown, an object or a list may be given as a text. */
function heldBy(value: unknown): unknown {
  if (typeof value !== "string" || !/^[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** Every leaf below a value. */
export const leaves = (located: Located): Leaf[] => leavesOf(located.value, "");

/** The amounts below a value, by path; a decimal in a string is an amount too, also with its unit. */
export function amounts(located: Located): Map<string, number> {
  const found = new Map<string, number>();
  for (const { path, value } of leaves(located)) {
    const amount = creditsOf(typeof value === "string" ? value.replace(/ credits?$/i, "") : value);
    if (amount !== undefined) found.set(path, amount);
  }
  return found;
}

/** Names of what remains, directly in the data. */
const namesRemaining =
  /^(total_)?(remaining|available)(_total)?(_credits|_balance)?$|^credits?_(remaining|available|left|balance)$/;
/** Names that may mean what remains, or something else. */
const mayNameTotal = /^(total|balance|credits)(_credits)?$/;

/** Whether an amount is directly in the credits, and named for what remains. */
export const isNamedRemaining = (path: string): boolean => namesRemaining.test(path);

/**
 * The amounts among which the remaining total must be: those directly in the data that are named for it; else all directly
 * in it, if one may be; else all, since a single category may account for everything.
 */
export const candidatesForTotal = (data: Located): ReadonlyMap<string, number> => totalsAmong(amounts(data));

/** The same of amounts by path. */
export function totalsAmong(credits: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const direct = [...credits].filter(([path]) => !path.includes("."));
  const named = direct.filter(([name]) => isNamedRemaining(name));
  if (named.length > 0) return new Map(named);
  return direct.some(([name]) => mayNameTotal.test(name)) ? new Map(direct) : credits;
}

/** Words of credits that come and go with time, of what an `entry_type` stands for, of sums over all time, of ends, and of times. */
const ofPeriod = /daily|today|week|month|year|free|plan|subscri|allowance|quota|included|period/i;
const ofEntries =
  /purchas|recharg|payment|paid|top_?up|welcome|bonus|invit|referr|reward|trial|grant|refund/i;
const ofAllTime = /(total|initial|spent|used|consumed|lifetime)[^.]*$/i;
const ofExpiry = /expired|lapsed/i;
const ofTime = /(seconds|_ms|_at|_in|date|time)$/i;

/** Whether an amount is of credits of a day or a plan. */
const isOfPeriod = (path: string, amount: number): boolean =>
  amount > 0 && ofPeriod.test(path) && !ofTime.test(path);

/** The credits of a day or a plan that an account has left or has had, by path. */
export const creditsOfPeriods = (data: Located): ReadonlyMap<string, number> =>
  new Map([...amounts(data)].filter(([path, amount]) => isOfPeriod(path, amount)));

/**
 * Whether the ledger may leave out what moved the remaining total: no `entry_type` stands for credits of a day or a plan, nor
 * for a category without a known name that accounts for the difference, nor for credits that have expired.
 * @param left what the entries have left
 * @param credits the amounts that the credits show, by path, in the unit of `left`
 */
export function mayLeaveOut(left: number, credits: ReadonlyMap<string, number>): boolean {
  const totals = [...totalsAmong(credits)];
  return [...credits].some(([path, part]) => {
    if (isOfPeriod(path, part)) return true;
    if (part <= 0 || ofTime.test(path)) return false;
    const isExpired = ofExpiry.test(path);
    if (!isExpired && (ofEntries.test(path) || ofAllTime.test(path))) return false;
    const moved = isExpired ? -part : part;
    return totals.some(([total, shown]) => total !== path && sameCredits(left + moved, shown));
  });
}

/** The texts and numbers below a value, as texts. */
export const texts = (value: unknown): string[] =>
  leavesOf(value, "").flatMap(({ value: leaf }) =>
    typeof leaf === "string" || typeof leaf === "number" ? [String(leaf)] : [],
  );

/** A list of booleans, such as whether more follows, holds no rows. */
const holdsRows = (list: readonly Located[]): boolean =>
  list.length === 0 || list.some(({ value }) => value !== null && typeof value !== "boolean");

/**
 * The list in an envelope's data: the data itself, the list in its `items`, or its only member that is a list (of
 * objects, if there are several); otherwise the same in one of its members.
 */
export function listIn(shown: Located): Located[] | undefined {
  const data = new Located(heldBy(shown.value), shown.path, shown.exchange);
  if (Array.isArray(data.value)) return data.items;
  if (typeof data.value !== "object" || data.value === null) return undefined;
  const named = listIn(data.at("items"));
  if (named !== undefined) return named;
  const members = Object.keys(data.value).map((name) => data.at(name));
  const { true: inLists = [], false: others = [] } = Object.groupBy(members, ({ value }) =>
    String(Array.isArray(value)),
  );
  const lists = inLists.map((member) => member.items).filter(holdsRows);
  const rows = lists.filter(([first]) => typeof first?.value === "object");
  const inner = lists.length > 0 ? [] : others.map(listIn).filter((list) => list !== undefined);
  return [lists, rows, inner].find((group) => group.length === 1)?.[0];
}
