import { operations, type OperationId } from "../../../generated/contract.ts";
import { onBody, onPath, type Body, type Change } from "../../changes/mutant.ts";
import type { WireRequest } from "../../changes/wire.ts";
import { namedAnswers } from "./document.ts";
import type { SpecMutant } from "./mutant.ts";

type Items = readonly unknown[];

const onItems =
  (change: (items: Items) => Items) =>
  (operation: OperationId, path: string): Change =>
    onPath(operation, path, (items) => (Array.isArray(items) && items.length > 0 ? change(items) : items));

/** The ways to break any list. */
const ofList: Record<string, (operation: OperationId, path: string) => Change> = {
  reversed: onItems((items) => items.toReversed()),
  "each item twice": onItems((items) => items.flatMap((item) => [item, item])),
  "without its first": onItems((items) => items.slice(1)),
  "without its last": onItems((items) => items.slice(0, -1)),
  empty: onItems(() => []),
};

const parameters = (operation: OperationId): object => operations[operation].query;

/** Repeats the last page for a page beyond it. */
function lastPageRepeated(operation: OperationId, path: string): Change {
  const last = new Map<string, unknown>();
  return onPath(operation, path, (items, { query, headers }: WireRequest) => {
    const rest = new URLSearchParams(query);
    rest.delete("page");
    const list = `${headers.authorization ?? ""} ${rest.toString()}`;
    if (Array.isArray(items) && items.length > 0) last.set(list, items);
    return Array.isArray(items) && items.length === 0 && query.has("page")
      ? (last.get(list) ?? items)
      : items;
  });
}

/** Makes the end of a feed lead to its last page again. */
const lastCursorRepeated = (operation: OperationId): Change =>
  onBody(operation, (body, { query }) => {
    const data = body["data"] as Body | null;
    if (data === null || data["next_cursor"] !== null || !query.has("cursor")) return body;
    return { ...body, data: { ...data, next_cursor: query.get("cursor"), has_more: true } };
  });

const ofPages = ["page", "page_size", "limit", "cursor", "summary", "bucket", "include_details"];

/** Ignores every filter of a list from its second page on. */
const filtersForgotten = (operation: OperationId): Change => ({
  inward: ({ operation: asked, query }) =>
    asked === operation && (query.has("cursor") || Number(query.get("page") ?? 1) > 1)
      ? { query: new URLSearchParams([...query].filter(([name]) => ofPages.includes(name))) }
      : null,
});

/** Each list of each success, broken in each way: its fields may be open, but its paging is not. */
export const listMutants: readonly SpecMutant[] = namedAnswers.flatMap(({ operation, status, fields }) => {
  if (status !== 200) return [];
  const pages = "cursor" in parameters(operation) || "page" in parameters(operation);
  const lists = fields.filter(
    ({ path, types, open }) =>
      types.includes("array") &&
      (!open || (pages && path === "data.items")) &&
      fields.some((field) => field.path.startsWith(`${path}.*.`)),
  );
  return lists.flatMap(({ path }): SpecMutant[] => {
    const total = path.replace(/[^.]+$/, "total");
    const ways: Record<string, Change> = Object.fromEntries(
      Object.entries(ofList).map(([way, broken]) => [way, broken(operation, path)]),
    );
    if (fields.some((field) => field.path === total)) {
      ways["its total one more"] = onPath(operation, total, (value) => Number(value) + 1);
    }
    if (path === "data.items" && "page" in parameters(operation)) {
      ways["its last page repeated"] = lastPageRepeated(operation, path);
    }
    if (path === "data.items" && "cursor" in parameters(operation)) {
      ways["its last page repeated"] = lastCursorRepeated(operation);
    }
    if (path === "data.items" && pages) {
      ways["its filters forgotten after its first page"] = filtersForgotten(operation);
    }
    return Object.entries(ways).map(([way, change]) => ({
      id: `list ${operation} ${path} ${way}`,
      family: "list",
      operation,
      way,
      change,
    }));
  });
});
