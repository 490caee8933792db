import { compareVersions as compareVersionOrder } from "../../cli/pinned.ts";
import { answersOf, operationsOf } from "./api.ts";
import type { Document } from "./document.ts";
import type { Finding, Findings, Settings } from "./findings.ts";
import { canonical, entriesOf, member, type Json } from "./json.ts";

const at = { oldPointer: "/info/version", newPointer: "/info/version" };
const spot = { side: "contract", operation: null, where: "info.version" } as const;

/**
 * Checks that the versions reflect the changes, and that the version header agrees with the document.
 * @param others the other findings; a breaking change among them requires a new version
 */
export function compareVersions(findings: Findings, others: readonly Pick<Finding, "class">[]): void {
  const [old, now] = [findings.old.version, findings.new.version];
  const header = versionHeaderOf(findings.new, findings.settings);
  if (header !== undefined && header.value !== now) {
    findings.add(
      "version_header_differs",
      { ...spot, where: `header ${header.name}` },
      {
        old: now,
        new: header.value,
        oldPointer: "/info/version",
        newPointer: header.pointer,
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

const usualHeader = "x-service-api-version";
const known = new WeakMap<Document, VersionHeader | undefined>();

/** The answer header with the version, in lower case, and its value according to the document. */
interface VersionHeader {
  name: string;
  value: Json;
  pointer: string;
}

/**
 * The header of that name with a constant value; without a name, the usual one, or one whose constant is the version.
 */
export function versionHeaderOf(
  document: Document,
  { versionHeader }: Pick<Settings, "versionHeader">,
): VersionHeader | undefined {
  if (!known.has(document)) known.set(document, findVersionHeader(document, versionHeader?.toLowerCase()));
  return known.get(document);
}

function findVersionHeader(document: Document, wanted: string | undefined): VersionHeader | undefined {
  for (const operation of operationsOf(document)) {
    for (const answer of answersOf(operation).values()) {
      for (const [written, header] of entriesOf(member(document.resolved(answer), "headers"))) {
        const name = written.toLowerCase();
        const schema = document.resolved(member(document.resolved(header), "schema"));
        const value = member(schema, "const");
        const isIt =
          wanted === undefined ? name === usualHeader || value === document.version : name === wanted;
        if (value !== undefined && isIt)
          return { name, value, pointer: `${document.pointerOf(schema) ?? ""}/const` };
      }
    }
  }
  return undefined;
}

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
  const at = { oldPointer: "/info/version", newPointer: "/info/version" };
  for (const was of old) {
    const is = after.get(was.version);
    const pinnedSpot = { ...spot, where: `pinned document ${(is ?? was).name}` };
    if (is === undefined) findings.add("pinned_document_removed", pinnedSpot, { old: was.version, ...at });
    else if (canonical(was.document) !== canonical(is.document)) {
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
  if (own !== undefined && canonical(own.document) !== canonical(root)) {
    const found = {
      old: `${version} as released (${own.name})`,
      new: `${version} with another content`,
      ...at,
    };
    findings.add("pinned_document_changed", { ...spot, where: `document ${name}` }, found);
  }
}
