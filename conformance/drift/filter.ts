import { titleOf, type Operation } from "./api.ts";
import type { Change, DriftReport } from "./change.ts";
import { itemsOf } from "../../cli/data.ts";
import { literally } from "../../cli/escaped.ts";

/** Which operations a report is about; without paths and tags, all. */
export interface Filter {
  /** A path of the document, in which `*` stands for anything. */
  path?: string | undefined;
  tag?: string | undefined;
}

/** The method and path of the operations that the changes name. */
export function titlesOf(changes: readonly Change[], operations: Operation[]): Record<string, string> {
  const named = new Set(changes.flatMap((one) => [one, ...one.also].flatMap((each) => each.operations)));
  const titles = operations.map((one) => [one.name, titleOf(one)] as const);
  return Object.fromEntries(titles.filter(([name, title]) => named.has(name) && name !== title));
}

/** A pattern for a text in which `*` stands for anything. */
export const wildcard = (written: string): RegExp =>
  new RegExp(`^${written.split("*").map(literally).join(".*")}$`, "s");

/** The changes of the operations that a filter names; what concerns no operation in particular stays. */
export function filtered(changes: Change[], operations: Operation[], { path, tag }: Filter): Change[] {
  if (path === undefined && tag === undefined) return changes;
  const pattern = wildcard(path ?? "*");
  const isWanted = ({ path: place, raw }: Operation): boolean =>
    pattern.test(place) && (tag === undefined || itemsOf(raw["tags"]).includes(tag));
  const wanted = new Set(operations.filter(isWanted).map(({ name }) => name));
  return changes.flatMap((change) => {
    const operations = change.operations.filter((name) => wanted.has(name));
    return change.operations.length === 0 || operations.length > 0 ? [{ ...change, operations }] : [];
  });
}

const keyOf = ({ kind, side, where, operations, old, new: now }: Change): string =>
  JSON.stringify([kind, side, where.replace(/ \(\d+ breaking\)$/, ""), operations, old, now]);

/**
 * Separates what a change introduces from what its base already has.
 * @param report what differs between the old contract and the new one
 * @param base what differs between the old contract and the base, such as the branch that the change goes into
 */
export function sinceBase(report: DriftReport, base: DriftReport): DriftReport {
  const [inherited, present] = [base, report].map(({ changes }) => new Set(changes.map(keyOf)));
  return {
    ...report,
    changes: report.changes.map((one) => ({
      ...one,
      since: inherited!.has(keyOf(one)) ? "inherited" : "introduced",
    })),
    mended: base.changes.filter((one) => one.class !== "safe" && !present!.has(keyOf(one))),
    notes: [...report.notes, `Only what is introduced since ${base.new} fails.`],
  };
}
