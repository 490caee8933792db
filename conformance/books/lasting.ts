import { momentOf } from "../judge/instant.ts";
import { amountOf, balanceOf, type Row } from "../judge/rows.ts";

/** The parts of a ledger entry that never change; null where an answer does not show one. */
export interface Lasting {
  entry_type: string | null;
  /** In whole millionths of a credit. */
  amount_credits: number | null;
  balance_before: number | null;
  balance_after: number | null;
  execution_id: string | null;
  /** As an instant, in microseconds. */
  created_at: number | null;
}

const inMillionths = (credits: number | undefined): number | null =>
  credits === undefined ? null : Math.round(credits * 1e6);

const asText = (value: unknown): string | null =>
  value === undefined || value === null ? null : String(value as string | number);

export const lastingOf = (entry: Row): Lasting => ({
  entry_type: asText(entry["entry_type"]),
  amount_credits: inMillionths(amountOf(entry)),
  balance_before: inMillionths(balanceOf(entry, "before")),
  balance_after: inMillionths(balanceOf(entry, "after")),
  execution_id: asText(entry["execution_id"]),
  created_at: momentOf(entry["created_at"]) ?? null,
});

const parts = Object.keys(lastingOf({})) as readonly (keyof Lasting)[];

/** Whether two answers show a part of an entry differently; one of them may show more of it than the other. */
export const differ = (one: Lasting, other: Lasting): boolean =>
  parts.some((part) => one[part] !== null && other[part] !== null && one[part] !== other[part]);

/** What two answers that do not differ show of an entry together. */
export const joined = (one: Lasting, other: Lasting): Lasting =>
  parts.every((part) => one[part] !== null)
    ? one
    : (Object.fromEntries(parts.map((part) => [part, one[part] ?? other[part]])) as unknown as Lasting);

/** The parts that an answer shows, in words. */
export const wordsOf = (shown: Lasting): string =>
  Object.values(shown)
    .filter((part) => part !== null)
    .join(" ");
