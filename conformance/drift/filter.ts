import { operationsOf, titleOf } from "./api.ts";
import type { Change } from "./change.ts";
import type { Document } from "./document.ts";
import { itemsOf } from "./json.ts";

/** Which operations a report is about; without paths and tags, all. */
export interface Filter {
  /** A path of the document, in which `*` stands for anything. */
  path?: string | undefined;
  tag?: string | undefined;
}

/** The method and path of the operations that the changes name. */
export function titlesOf(changes: readonly Change[], ...documents: Document[]): Record<string, string> {
  const named = new Set(
    changes.flatMap(({ operations, also }) => [operations, ...also.map((one) => one.operations)].flat()),
  );
  const all = documents.flatMap((document) =>
    operationsOf(document).map((one) => [one.name, titleOf(one)] as const),
  );
  return Object.fromEntries(all.filter(([name, title]) => named.has(name) && name !== title));
}

/** The changes of the operations that a filter names; what concerns no operation in particular stays. */
export function filtered(changes: readonly Change[], filter: Filter, ...documents: Document[]): Change[] {
  if (filter.path === undefined && filter.tag === undefined) return [...changes];
  const parts = (filter.path ?? "*").split("*").map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, "\\$&"));
  const pattern = new RegExp(`^${parts.join(".*")}$`);
  const wanted = new Set(
    documents.flatMap((document) =>
      operationsOf(document).flatMap(({ name, path, raw }) => {
        const isTagged = filter.tag === undefined || itemsOf(raw["tags"]).includes(filter.tag);
        return pattern.test(path) && isTagged ? [name] : [];
      }),
    ),
  );
  return changes.flatMap((change) => {
    const operations = change.operations.filter((name) => wanted.has(name));
    return change.operations.length === 0 || operations.length > 0 ? [{ ...change, operations }] : [];
  });
}
