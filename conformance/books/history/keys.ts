import { uuid } from "../../judge/fields.ts";
import { microsIn } from "../../judge/instant.ts";
import type { Row, Shown } from "./act.ts";

/**
 * Joins the keys of one account, since a recording knows only keys: two keys that were shown the same row, or a row of
 * each other's Calls.
 */
export function joinKeys({ acts, rows }: Shown): Shown {
  const parents = new Map<string, string>();
  const rootOf = (key: string): string => {
    const parent = parents.get(key);
    return parent === undefined ? key : rootOf(parent);
  };
  const join = (one: string, other: string): void => {
    const [root, lesser] = [rootOf(one), rootOf(other)];
    if (root !== lesser) parents.set(lesser, root);
  };
  const first = new Map<string, Row>();
  // Numbered rows of several accounts may share a number, and a second; an export need not say when each was made.
  const isPrecise = (createdAt: number): boolean => createdAt % microsIn.second > 0;
  const nameOf = ({ stream, id, account, createdAt, amount }: Row): string =>
    [stream, id, ...(uuid.test(id) ? [] : [isPrecise(createdAt) ? createdAt : account, amount])].join(" ");
  const callers = new Map(
    acts.flatMap(({ write, account }) => (write?.execution ? [[write.execution, account]] : [])),
  );
  for (const row of rows) {
    const name = nameOf(row);
    join((first.get(name) ?? row).account, row.account);
    if (!first.has(name)) first.set(name, row);
    join(callers.get(row.execution ?? "") ?? row.account, row.account);
  }
  if (parents.size === 0) return { acts, rows };
  const joined = new Map<string, Row>();
  const nameWithin = ({ stream, account, id }: Row): string => `${stream} ${rootOf(account)} ${id}`;
  for (const row of rows) {
    const name = nameWithin(row);
    const known = joined.get(name);
    // A list shows more than an export; the first to show a row is an answer to either key.
    const fuller = known === undefined || (row.isListed && !known.isListed) ? row : known;
    const { shownBy } = known !== undefined && known.shownBy.end < row.shownBy.end ? known : row;
    joined.set(name, { ...fuller, account: rootOf(row.account), shownBy });
  }
  const own = <Known extends Row | null>(row: Known): Known => (row && joined.get(nameWithin(row))!) as Known;
  return {
    acts: acts.map((act) => {
      const { account, reading } = act;
      return {
        ...act,
        account: rootOf(account),
        reading: reading && {
          ...reading,
          rows: reading.rows.map(own),
          repeated: own(reading.repeated),
          changed: own(reading.changed),
        },
      };
    }),
    rows: [...joined.values()],
  };
}
