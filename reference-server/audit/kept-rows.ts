import type { Knex } from "knex";
import { kept } from "../../base/data.ts";
import { keepText } from "../http/kept-text.ts";
import type { AccountScope, Rows } from "./rows.ts";

/** A table: how its rows are read, and how one is shown. */
interface Table<Row, Shown> {
  table: string;
  rows(details: boolean): Rows<Row>;
  show(row: Row, details: boolean): Shown;
}

/** The most rows of a database that are kept, and the most characters of one. */
const maxKept = 4_096;
const longestKept = 4_096;
/** The most rows of a page that is kept: a walk in long pages would displace what others read again. */
const maxKeptPage = 100;

/** By database, and by table and number: rows as they are shown. */
const databases = new WeakMap<object, Map<string, unknown>>();

/**
 * Reads rows by their numbers. A row never changes once it is written, so the last ones read are kept, without their
 * details.
 * @returns the rows with the given `seq`, in the order given, as they are shown
 */
export async function shownRows<Row extends { created_at: number; seq: number }, Shown extends object>(
  { table, rows, show }: Table<Row, Shown>,
  { database }: AccountScope,
  seqs: readonly number[],
  details: boolean,
): Promise<Shown[]> {
  const keeps = !details && seqs.length <= maxKeptPage;
  const kept = keeps ? keptOf(database) : new Map<string, unknown>();
  const keyOf = (seq: number): string => `${table} ${seq}`;
  const known = new Map(seqs.map((seq) => [seq, kept.get(keyOf(seq))]));
  const missing = seqs.filter((seq) => known.get(seq) === undefined);
  if (missing.length > 0) {
    const { select, read } = rows(details);
    for (const row of read((await select(database).whereIn("seq", missing)) as object[])) {
      const item = show(row, details);
      known.set(row.seq, item);
      if (!keeps) continue;
      const text = JSON.stringify(item);
      if (text.length > longestKept) continue;
      kept.set(keyOf(row.seq), item);
      keepText(item, text);
    }
    while (kept.size > maxKept) kept.delete(kept.keys().next().value!);
  }
  return seqs.map((seq) => known.get(seq) as Shown);
}

/** A database and its transactions have the same configuration. */
function keptOf({ client }: Knex): Map<string, unknown> {
  const { config } = client as { config: object };
  return kept(databases, config, () => new Map());
}
