import { isDeepStrictEqual } from "node:util";
import { member, type Document, type Json } from "./document.ts";
import type { Finding, Findings } from "./findings.ts";

const at = { oldPointer: "/info/version", newPointer: "/info/version" };
const spot = { side: "contract", operation: null, where: "info.version" } as const;

/** The date and the number of a contract version such as `2026-09-12.1`; null for a version of another form. */
function partsOf(version: string): [date: string, number: number] | null {
  const found = /^(\d{4}-\d{2}-\d{2})\.(\d+)$/.exec(version);
  return found === null ? null : [found[1]!, Number(found[2])];
}

/** Below 0: the first is the earlier version. 0: they are equal, or cannot be ordered. */
export function compareVersionOrder(one: string, other: string): number {
  const [first, second] = [partsOf(one), partsOf(other)];
  if (first === null || second === null) return 0;
  return first[0] === second[0] ? first[1] - second[1] : first[0] < second[0] ? -1 : 1;
}

/**
 * Compares the versions: whether they say what happened, and whether the version header agrees with the document.
 * @param others what else was found; a breaking change among it must raise the version
 */
export function compareVersions(findings: Findings, others: readonly Pick<Finding, "class">[]): void {
  const [old, now] = [findings.old.version, findings.new.version];
  const header = versionHeaderOf(findings.new);
  if (header !== undefined && header !== now) {
    findings.add(
      "version_header_differs",
      { ...spot, where: "header X-Service-Api-Version" },
      {
        old: now,
        new: header,
        oldPointer: "/info/version",
        newPointer: "/components/headers/ApiVersion/schema/const",
      },
    );
  }
  const values = { old: old ?? undefined, new: now ?? undefined, ...at };
  if (old === now) {
    const breaking = others.filter((one) => one.class === "breaking").length;
    if (breaking > 0) {
      findings.add("version_not_raised", { ...spot, where: `info.version (${breaking} breaking)` }, values);
    }
  } else if (old !== null && now !== null && compareVersionOrder(now, old) < 0) {
    findings.add("version_lowered", spot, values);
  } else findings.add("version_raised", spot, values);
}

const versionHeaderOf = (document: Document): Json | undefined =>
  member(document.valueAt("/components/headers/ApiVersion/schema"), "const");

/** A document that a release pinned under its version. */
export interface Pinned {
  version: string;
  document: Json;
  /** How messages call it. */
  name: string;
}

/**
 * Holds the documents that earlier releases pinned against what stands there now, and the current document against the
 * pinned one of its version.
 * @param released the old document was released as it stands, though nothing pins it
 */
export function comparePinned(
  findings: Findings,
  old: readonly Pinned[],
  now: readonly Pinned[],
  released: boolean,
): void {
  const after = new Map(now.map((one) => [one.version, one]));
  const at = { oldPointer: "/info/version", newPointer: "/info/version" };
  for (const was of old) {
    const is = after.get(was.version);
    const pinnedSpot = { ...spot, where: `pinned document ${(is ?? was).name}` };
    if (is === undefined) findings.add("pinned_document_removed", pinnedSpot, { old: was.version, ...at });
    else if (!isDeepStrictEqual(was.document, is.document)) {
      const found = { old: `${was.version} as released`, new: `${was.version} with another content`, ...at };
      findings.add("pinned_document_changed", pinnedSpot, found);
    }
  }
  const { version, root, name } = findings.new;
  const releases = [...now, ...old];
  if (released && findings.old.version !== null) {
    releases.unshift({ version: findings.old.version, document: findings.old.root, name: findings.old.name });
  }
  const own = releases.find((one) => one.version === version);
  if (own !== undefined && !isDeepStrictEqual(own.document, root)) {
    const found = {
      old: `${version} as released (${own.name})`,
      new: `${version} with another content`,
      ...at,
    };
    findings.add("pinned_document_changed", { ...spot, where: `document ${name}` }, found);
  }
}
