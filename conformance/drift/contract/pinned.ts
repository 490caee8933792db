import path from "node:path";
import type { Findings } from "../findings.ts";
import { canonical, type Json } from "../json.ts";
import type { Source } from "../source.ts";
import { parsed } from "../text.ts";

/** A document pinned under its version by a release. */
export interface Pinned {
  version: string;
  document: Json;
  /** Its name in messages. */
  name: string;
}

/**
 * Compares the pinned documents of earlier releases with their current state, and the current document with the one
 * pinned under its version.
 * @param released the old document was released as it is, although nothing pins it
 */
export function comparePinned(
  findings: Findings,
  old: readonly Pinned[],
  now: readonly Pinned[],
  released: boolean,
): void {
  const after = new Map(now.map((one) => [one.version, one]));
  const pointer = "/info/version";
  const changed = (where: string, old: string, version: string): unknown =>
    findings.add("pinned_document_changed", { where, old, new: `${version} with another content`, pointer });
  for (const was of old) {
    const is = after.get(was.version);
    const where = `pinned document ${(is ?? was).name}`;
    if (is === undefined) findings.add("pinned_document_removed", { where, old: was.version, pointer });
    else if (canonical(was.document) !== canonical(is.document))
      changed(where, `${was.version} as released`, was.version);
  }
  const { version, root, name } = findings.new;
  const releases = [...now, ...old];
  if (released && findings.old.version !== null) {
    releases.unshift({ version: findings.old.version, document: findings.old.root, name: findings.old.name });
  }
  const own = releases.find((one) => one.version === version);
  if (own !== undefined && canonical(own.document) !== canonical(root))
    changed(`document ${name}`, `${version} as released (${own.name})`, own.version);
}

/** The pinned documents in a source's tree: in the given folder, or in `released` next to the document. */
export function pinnedOf(source: Source, folder?: string): Pinned[] {
  const place = folder ?? path.posix.join(path.posix.dirname(source.file), "released");
  return source.tree.list(place).flatMap((name) => {
    const version = /^(.+)\.(?:json|ya?ml)$/.exec(name)?.[1];
    const file = path.posix.join(place, name);
    const text = source.tree.read(file);
    if (version === undefined || text === undefined) return [];
    return { version, document: parsed(file, text) as Json, name: source.tree.shown(file) };
  });
}
