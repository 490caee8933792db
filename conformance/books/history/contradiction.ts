import type { Exchange } from "../../judge/exchange.ts";
import type { Fault } from "../../judge/fault.ts";
import type { Act } from "./act.ts";

/** An operation of a contradiction, as a bar in time. */
export interface Bar {
  /** Who did what, in a few words. */
  label: string;
  /** Epoch milliseconds; no end where no answer came. */
  begin: number;
  end: number | null;
  /** The operation that cannot be reconciled with the others. */
  isWrong: boolean;
}

/** A few operations that cannot all be true, whatever the order. */
export interface Contradiction extends Fault {
  /** The order that would have been lawful. */
  lawful: string;
  bars: Bar[];
  exchanges: Exchange[];
}

/** The most operations that a contradiction shows. */
export const maxActs = 5;

/** Characters of a query that are shown. */
const maxQuery = 36;

/** Ids of rows by their ends, which differ. */
const briefly = (says: string): string => says.replace(/\b[\da-f]{8}-[\da-f-]{20,}?(?=[\da-f]{6}\b)/g, "…");

/** What an act was, in a few words. */
export function wordsOf({ operation, write, reader, exchange }: Act): string {
  const { status } = exchange.response ?? { status: null };
  const query = exchange.request.url.replace(/^[^?]*\??/, " ");
  const target = write?.tool ?? (query.length > maxQuery ? `${query.slice(0, maxQuery)}…` : query);
  const answer = status === null || status === 200 ? "" : `: ${status}`;
  return `${reader}: ${operation} ${target.trim()}`.trimEnd() + answer;
}

/**
 * A contradiction between acts.
 * @param acts the operations with what each says, in words; the last is the one that cannot be
 */
export function contradiction(
  about: Omit<Contradiction, "bars" | "exchanges">,
  acts: readonly (readonly [act: Act, says: string])[],
): Contradiction {
  // The same act may speak of several things.
  const merged = new Map<Act, string>();
  for (const [act, says] of acts) {
    const before = merged.get(act);
    merged.delete(act);
    merged.set(act, before === undefined ? says : `${before}; ${says}`);
  }
  const shown = [...merged].slice(-maxActs);
  const bars = shown.map(([act, says], index) => ({
    label: `${wordsOf(act)} (${briefly(says)})`,
    begin: act.begin,
    end: Number.isFinite(act.end) ? act.end : null,
    isWrong: index === shown.length - 1,
  }));
  return {
    ...about,
    bars: bars.sort((one, other) => one.begin - other.begin),
    exchanges: shown.map(([{ exchange }]) => exchange).reverse(),
  };
}
