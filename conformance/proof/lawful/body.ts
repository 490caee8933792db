import { isObject } from "../../../base/data.ts";
import type { WireAnswer, WireRequest } from "../../changes/wire.ts";

/** A change of the values at a path of a JSON body. */
export interface Edit {
  status: number;
  /** Names with dots between them; `*` is every member of a list. Empty for the body itself. */
  path: string;
  /** The value in its place; undefined removes it from its object. */
  value?: (value: unknown, request: WireRequest) => unknown;
  /** The JSON text of the value. */
  text?: (value: unknown) => string;
}

export const isJson = ({ headers, body }: WireAnswer): boolean =>
  body !== "" && (headers["content-type"] ?? "").includes("json");

/** A JSON text with edits applied, those of a value's parts before those of the value. */
export function rewritten(text: string, edits: readonly Edit[], request: WireRequest): string {
  const byPath = Map.groupBy(edits, ({ path }) => path);
  const part = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);
  const changed = (value: unknown, path: string): unknown => {
    const inner = Array.isArray(value)
      ? value.map((member: unknown) => changed(member, part(path, "*"))).filter((one) => one !== undefined)
      : isObject(value)
        ? telling(
            Object.entries(value).map(([name, member]) => [name, changed(member, part(path, name))]),
            path.endsWith("*") ? value : {},
          )
        : value;
    return (byPath.get(path) ?? []).reduce(
      (old, { value: change }) => (change ? change(old, request) : old),
      inner,
    );
  };
  const written = (value: unknown, path: string): string => {
    const own = byPath
      .get(path)
      ?.find((edit) => edit.text !== undefined)
      ?.text?.(value);
    if (own !== undefined) return own;
    if (Array.isArray(value)) return `[${value.map((member) => written(member, part(path, "*"))).join(",")}]`;
    if (!isObject(value)) return JSON.stringify(value);
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${written(member, part(path, name))}`).join(",")}}`;
  };
  return written(changed(JSON.parse(text), ""), "");
}

/** An object of members; a row keeps the first of its own where nothing else is left, since it shows what it is a row of. */
function telling(members: [string, unknown][], row: object): object {
  const own = members.some(([, member]) => member !== undefined && member !== null)
    ? []
    : Object.entries(row).slice(0, 1);
  return Object.fromEntries([...members, ...own]);
}
