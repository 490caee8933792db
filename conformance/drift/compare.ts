import path from "node:path";
import { WrongUse } from "../../cli/exit.ts";
import type { Change, DriftReport } from "./change.ts";
import { affectedBy } from "./affected.ts";
import { compareClauses, type ClauseFinding } from "./compare-contract.ts";
import { compareOperations } from "./compare-operations.ts";
import { compareSchemes } from "./compare-security.ts";
import { compareWritten } from "./compare-written.ts";
import { readClauses } from "./contract-clauses.ts";
import type { Document } from "./document.ts";
import { Findings, type Finding, type Settings } from "./findings.ts";
import type { Json } from "./json.ts";
import { Places } from "./places.ts";
import type { Source } from "./source.ts";
import { comparePinned, compareVersions, type Pinned } from "./versions.ts";
import { parsed } from "./text.ts";

/** What a comparison of two contracts needs besides their documents. */
export interface CompareOptions {
  /** The folders of the clauses; by default `spec/clauses` of each document's project. */
  oldClauses?: string | undefined;
  newClauses?: string | undefined;
  /** The folder, in each document's tree, of the pinned releases: `<version>.json` or `.yaml`. */
  pinned?: string | undefined;
  /** The old document was released as it is: nothing may change under its version. */
  released?: boolean | undefined;
  /** A HAR file or a folder of them: finds the clients that would have been affected. */
  traffic?: string | undefined;
  settings: Settings;
}

/** The differences of two documents, without clauses, versions and lines. Pure. */
export function compareDocuments(old: Document, now: Document, settings: Settings): Findings {
  const findings = new Findings(old, now, settings);
  compareSchemes(findings);
  compareOperations(findings);
  findings.addOthers({ side: "contract", operation: null, where: "document" }, old.root, now.root, outline);
  findings.gather();
  if (settings.withText === true) compareWritten(findings);
  return findings;
}

/** Compared by rules of their own, or without effect on traffic. */
const outline =
  `openapi info servers paths webhooks components security tags externalDocs jsonSchemaDialect $self`.split(
    " ",
  );

/**
 * Compares two contracts: their documents, clauses, versions and pinned releases.
 * @throws WrongUse when clauses or pinned documents cannot be read
 */
export async function compareContracts(
  old: Source,
  now: Source,
  options: CompareOptions,
): Promise<DriftReport> {
  const notes: string[] = [];
  const findings = compareDocuments(old.document, now.document, options.settings);
  const ofClauses = clauseFindings(old, now, options, notes);
  const pinned = [old, now].map((source) => pinnedOf(source, options.pinned));
  if (options.pinned !== undefined && pinned.every((list) => list.length === 0)) {
    throw new WrongUse(`--pinned ${options.pinned} holds no <version>.json or <version>.yaml on either side`);
  }
  comparePinned(findings, pinned[0]!, pinned[1]!, options.released === true);
  compareVersions(findings, [...findings.list, ...ofClauses]);

  const { traffic } = options;
  const affected = traffic === undefined ? undefined : await affectedBy(findings.list, traffic, findings.old);
  const changes = [...placed(findings.list, old, now, affected), ...ofClauses.map(asChange)];
  return {
    command: "spec",
    old: old.name,
    new: now.name,
    old_version: old.document.version,
    new_version: now.document.version,
    changes: sorted(changes),
    notes,
  };
}

function clauseFindings(old: Source, now: Source, options: CompareOptions, notes: string[]) {
  const [before, after] = (
    [
      [old, options.oldClauses, "--old-clauses"],
      [now, options.newClauses, "--new-clauses"],
    ] as const
  ).map(([source, folder, flag]) => {
    const clauses = readClauses(source.tree, folder ?? path.posix.join(source.project, "spec/clauses"));
    if (clauses === null && folder !== undefined) throw new WrongUse(`${flag} ${folder} holds no clauses`);
    return clauses;
  });
  const without = [before ? [] : old.name, after ? [] : now.name].flat().join(" and ");
  if (without !== "") {
    notes.push(
      `Clauses, quotas and constants were not compared: ${without} has no spec/clauses beside it (--old-clauses and --new-clauses name folders).`,
    );
  }
  return before && after ? compareClauses(before, after) : [];
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

const asChange = (finding: ClauseFinding): Change => ({ ...finding, also: [], traffic: null, ignored: null });

/** The findings with their lines. A part that exists on one side only is located at its enclosing part on the other. */
export function placed(
  findings: readonly Finding[],
  old: Source | null,
  now: Source | null,
  affected?: ReadonlyMap<Finding, string[]>,
): Change[] {
  if (findings.length === 0) return [];
  const before = old && new Places(old);
  const after = now && new Places(now);
  return findings.map((one) => {
    const { oldPointer, newPointer, sights: _sights, schemas: _schemas, ...finding } = one;
    const was_at = before && oldPointer !== null ? before.of(oldPointer) : null;
    const at = after && newPointer !== null ? after.of(newPointer) : null;
    return { ...asChange({ ...finding, was_at, at }), traffic: affected?.get(one) ?? null };
  });
}

/** Merges repeated changes: the same change to a part of the same name in several places is reported once. */
export function grouped(changes: readonly Change[]): Change[] {
  const groups = new Map<string, Change>();
  for (const change of changes) {
    const { kind, side, where, old, new: now, ignored } = change;
    const part = where
      .replace(/^answer \w+:? ?/, "")
      .split(".")
      .at(-1);
    const key = JSON.stringify([kind, change.class, side, part, old, now, ignored]);
    const known = groups.get(key);
    if (known === undefined) {
      groups.set(key, { ...change, operations: [...change.operations], also: [...change.also] });
      continue;
    }
    known.also.push({ where, operations: change.operations, at: change.at });
    if (change.traffic) known.traffic = [...new Set([...(known.traffic ?? []), ...change.traffic])];
    known.operations.push(...change.operations.filter((name) => !known.operations.includes(name)));
  }
  return [...groups.values()];
}

const weight = { breaking: 0, risky: 1, safe: 2 } as const;

/** The worst first; within a class, in document order. */
export const sorted = (changes: readonly Change[]): Change[] =>
  changes.toSorted((one, other) => weight[one.class] - weight[other.class]);
