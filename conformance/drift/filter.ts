import type { Operation } from "./api.ts";
import type { Change, DriftReport } from "./change.ts";
import { itemsOf, kept } from "../../base/data.ts";
import { literally } from "../../base/escaped.ts";

/** Which operations a report is about; without any of these, all. */
export interface Filter {
  /** A path of the document, in which `*` stands for anything. */
  path?: string | undefined;
  tag?: string | undefined;
  /** Method and path, or an operationId. */
  operation?: string | undefined;
}

/** The operations of both documents, each with the title under which a report has it. */
type Reported = readonly (readonly [title: string, operation: Operation])[];

/** The operationIds of the operations that the changes name, without those that name another one as well. */
export function labelsOf(changes: readonly Change[], operations: Reported): Record<string, string[]> {
  const titles = new Map<string, Set<string>>();
  for (const [title, { id }] of operations)
    if (id !== undefined) kept(titles, id, () => new Set()).add(title);
  const named = new Set(
    changes.flatMap((change) => [change, ...change.also].flatMap((each) => each.operations)),
  );
  const labels: Record<string, string[]> = {};
  for (const [id, [title = "", ...others]] of titles)
    if (others.length === 0 && named.has(title)) (labels[title] ??= []).push(id);
  return labels;
}

/** A pattern for a text in which `*` stands for anything. */
export const wildcard = (written: string): RegExp =>
  new RegExp(`^${written.split("*").map(literally).join(".*")}$`, "s");

/** The titles of the operations that a filter names; null where it names none in particular. */
export function wantedOf(operations: Reported, { path, tag, operation }: Filter): ReadonlySet<string> | null {
  if (path === undefined && tag === undefined && operation === undefined) return null;
  const pattern = wildcard(path ?? "*");
  const isWanted = (title: string, { path: place, id, raw }: Operation): boolean =>
    pattern.test(place) &&
    (tag === undefined || itemsOf(raw["tags"]).includes(tag)) &&
    (operation === undefined || [title, id].includes(operation));
  return new Set(operations.filter((operation) => isWanted(...operation)).map(([title]) => title));
}

/** The changes of the wanted operations; what concerns no operation in particular stays. */
export function filtered(changes: Change[], wanted: ReadonlySet<string> | null): Change[] {
  if (wanted === null) return changes;
  return changes.flatMap((change) => {
    const operations = change.operations.filter((title) => wanted.has(title));
    return change.operations.length === 0 || operations.length > 0 ? [{ ...change, operations }] : [];
  });
}

/** A change as one for each of its operations. */
const each = ({ fingerprint, operations }: Change): { key: string; operations: string[] }[] =>
  operations.length === 0
    ? [{ key: fingerprint, operations }]
    : operations.map((title) => ({ key: `${fingerprint} ${title}`, operations: [title] }));

/**
 * Separates what a change introduces from what its base already has.
 * @param report what differs between the old contract and the new one
 * @param base what differs between the old contract and the base, such as the branch that the change goes into
 */
export function sinceBase(report: DriftReport, base: DriftReport): DriftReport {
  const [inBase, present] = [base, report].map(
    ({ changes }) => new Set(changes.flatMap(each).map(({ key }) => key)),
  );
  const changes = report.changes.flatMap((change): Change[] => {
    const groups = Map.groupBy(each(change), ({ key }) =>
      inBase!.has(key) ? ("inherited" as const) : ("introduced" as const),
    );
    return [...groups].map(([since, list]) => ({
      ...change,
      operations: list.flatMap(({ operations }) => operations),
      since,
    }));
  });
  const isMended = (change: Change): boolean =>
    change.class !== "safe" && !each(change).some(({ key }) => present!.has(key));
  return {
    ...report,
    changes,
    mended: base.changes.filter(isMended),
    notes: [...report.notes, `Only what is introduced since ${base.new} fails.`],
  };
}
