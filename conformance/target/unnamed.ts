import type { Located } from "./answer.ts";

/*
 * Reading answers whose field names the contract does not show: values are found by what they are.
 */

/** A leaf of a JSON value, with its dotted path. */
interface Leaf {
  path: string;
  value: unknown;
}

function leavesOf(value: unknown, path: string): Leaf[] {
  if (typeof value !== "object" || value === null) return [{ path, value }];
  return Object.entries(value).flatMap(([name, member]) =>
    leavesOf(member, path === "" ? name : `${path}.${name}`),
  );
}

/** Every leaf below a value. */
export const leaves = (located: Located): Leaf[] => leavesOf(located.value, "");

/** The amounts below a value by their paths; a decimal in a string is an amount too. */
export function amounts(located: Located): Map<string, number> {
  const found = new Map<string, number>();
  for (const { path, value } of leaves(located)) {
    const decimal = typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value);
    if (typeof value === "number" || decimal) found.set(path, Number(value));
  }
  return found;
}

/** Names under which the remaining total is looked for, directly in the data. */
const totalName =
  /^(total_)?(remaining|available)(_total)?(_credits|_balance)?$|^credits?_(remaining|available|left|balance)$|^(total|balance|credits)(_credits)?$/;

/**
 * The amounts among which the remaining total must stand: those directly in the data when one of them is named as it,
 * else all, since a category may hold as much as the whole.
 */
export function candidatesForTotal(data: Located): Map<string, number> {
  const all = amounts(data);
  const direct = new Map([...all].filter(([path]) => !path.includes(".")));
  return [...direct.keys()].some((name) => totalName.test(name)) ? direct : all;
}

/** The texts below a value. */
export const texts = (located: Located): string[] =>
  leaves(located).flatMap(({ value }) => (typeof value === "string" ? [value] : []));

/** The list in an envelope's data: `items` where it stands, else the one member that is a list. */
export function listIn(data: Located): Located[] | undefined {
  if (Array.isArray(data.at("items").value)) return data.at("items").items;
  if (typeof data.value !== "object" || data.value === null) return undefined;
  const lists = Object.entries(data.value).filter(([, member]) => Array.isArray(member));
  return lists.length === 1 ? data.at(lists[0]![0]).items : undefined;
}

/** Texts that mean something, such as a scope, a currency or a time, are no cursors. */
const isOpaque = (text: string): boolean => !/^[a-z_. -]*$/i.test(text) && Number.isNaN(Date.parse(text));

/**
 * The cursor to the next page in an envelope's data, by its name, or else the one opaque text beside the list: null on
 * the last page, undefined where none can be told.
 */
export function nextCursor(data: Located): string | null | undefined {
  const members = Object.entries((data.value ?? {}) as Record<string, unknown>);
  const named = members.filter(([name]) => /cursor/i.test(name) && !/prev/i.test(name));
  const others = members.filter(([, value]) => typeof value === "string" && isOpaque(value));
  const only = others.length === 1 ? others[0] : undefined;
  const [name, value] = named.find(([one]) => /next/i.test(one)) ?? named[0] ?? only ?? [];
  if (name === undefined) return undefined;
  return typeof value === "string" && value !== "" ? value : null;
}
