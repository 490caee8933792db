import { operationsOf } from "./api.ts";
import { type Change, type Finding, type Settings, changeClasses } from "./change.ts";
import { compareOperations } from "./compare-operations.ts";
import { compareSchemes } from "./compare-security.ts";
import type { Document } from "./document.ts";
import { Findings } from "./findings.ts";
import { compareOthers } from "./part.ts";
import { placesIn } from "./places.ts";
import type { Source } from "./source.ts";
import { canonical, isObject, step, valueAt, type Json } from "./json.ts";
import { isAnnotation } from "./raw-schema.ts";

/** The differences of two documents, without clauses, versions and lines. Pure. */
export function compareDocuments(old: Document, now: Document, settings: Settings): Findings {
  const findings = new Findings(old, now, settings);
  compareSchemes(findings);
  compareOperations(findings);
  const spot = { side: "contract", operation: null, where: "document" } as const;
  const roots = { old: old.root, new: now.root, oldPointer: "", newPointer: "" };
  compareOthers({ findings, ...spot, ...roots }, outline);
  findings.gather();
  excuseUnstable(findings);
  if (settings.withText === true) compareWritten(findings);
  return findings;
}

/** Changes that concern only operations announced as draft or alpha are safe: these may change. */
function excuseUnstable(findings: Findings): void {
  const unstable = new Set(
    operationsOf(findings.old).flatMap(({ name, raw }) =>
      ["draft", "alpha"].includes(String(raw["x-stability-level"])) ? [name] : [],
    ),
  );
  for (const finding of unstable.size === 0 ? [] : findings.list) {
    if (finding.operations.length === 0 || !finding.operations.every((name) => unstable.has(name))) continue;
    finding.class = "safe";
    finding.why = "the operation is announced as draft or alpha, which may change";
  }
}

/** Compared by their own rules, or without effect on traffic. */
const outline = `openapi info servers paths webhooks components security tags externalDocs jsonSchemaDialect
  $self`.split(/\s+/);

/** The findings with their lines. A part that exists on one side only is located at its enclosing part on the other. */
export function placed(
  findings: readonly Finding[],
  old: Source | null,
  now: Source | null,
  affected?: ReadonlyMap<Finding, string[]>,
): Change[] {
  if (findings.length === 0) return [];
  const [before, after] = [old && placesIn(old), now && placesIn(now)];
  return findings.map((one) => {
    const { oldPointer, newPointer, sights: _sights, schemas: _schemas, ...change } = one;
    const was_at = oldPointer === null ? null : (before?.(oldPointer) ?? null);
    const at = newPointer === null ? null : (after?.(newPointer) ?? null);
    return { ...change, was_at, at, traffic: affected?.get(one) ?? null };
  });
}

/** Merges repeated changes: the same change to a part of the same name in several places is reported once. */
export function grouped(changes: readonly Change[]): Change[] {
  const groups = new Map<string, Change>();
  const merge = (names: string[], others: string[]): string[] => [...new Set([...names, ...others])];
  for (const change of changes) {
    const { kind, side, where, old, new: now, ignored, operations } = change;
    const part = /[^.]*$/.exec(where.replace(/^answer \w+:? ?/, ""))![0];
    const key = JSON.stringify([kind, change.class, side, part, old, now, ignored]);
    const known = groups.get(key);
    if (known === undefined) {
      groups.set(key, { ...change, also: [...change.also] });
      continue;
    }
    const twin = [known, ...known.also].find((one) => one.where === where);
    if (twin === undefined) known.also.push({ where, operations, at: change.at });
    else twin.operations = merge(twin.operations, operations);
    if (change.traffic) known.traffic = merge(known.traffic ?? [], change.traffic);
    known.operations = merge(known.operations, operations);
  }
  return [...groups.values()];
}

/** The worst first; within a class, in document order. */
export const sorted = (changes: readonly Change[]): Change[] =>
  changeClasses.flatMap((one) => changes.filter((change) => change.class === one));

const texts = ["info", "tags", "externalDocs", "openapi", "jsonSchemaDialect", "operationId"];

/**
 * Reports where the documents are written differently although no difference was found there: wording, examples, unused
 * parts, equivalent forms. Call it after all other comparisons.
 */
export function compareWritten(findings: Findings): void {
  // What is open on both sides is reported as a whole, since nothing below it was compared.
  const looked = findings.list.filter(({ kind }) => kind !== "open_changed");
  const reported = new Set(looked.flatMap(({ oldPointer, newPointer }) => [oldPointer, newPointer]));
  // The versions are compared last, with all that changed.
  reported.add("/info/version");
  const walk = (old: Json | undefined, now: Json | undefined, pointer: string, isText: boolean): void => {
    if (canonical(old) === canonical(now) || reported.has(pointer)) return;
    const areLists = Array.isArray(old) && Array.isArray(now);
    if (areLists || (isObject(old) && isObject(now))) {
      for (const name of new Set([...Object.keys(old), ...Object.keys(now)])) {
        const isWords = !areLists && (isAnnotation(name) || texts.includes(name));
        walk(valueAt(old, [name]), valueAt(now, [name]), `${pointer}/${step(name)}`, isText || isWords);
      }
      return;
    }
    const where = pointer.slice(1).replaceAll("/", ".").replaceAll("~1", "/");
    findings.add(isText ? "text_changed" : "written_differently", { where, pointer, old, new: now });
  };
  walk(findings.old.root, findings.new.root, "", false);
}
