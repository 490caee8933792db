import { operationsOf } from "./api.ts";
import { type Change, type LocatedChange, type Settings, changeClasses } from "./change.ts";
import { compareOperations } from "./compare-operations.ts";
import { compareSchemes } from "./compare-security.ts";
import type { Document } from "./document.ts";
import { Comparison } from "./comparison.ts";
import { compareOthers } from "./part.ts";
import { placesIn } from "./places.ts";
import type { Source } from "./source.ts";
import { canonical, isObject, step, valueAt, type Json } from "../../base/data.ts";
import { isAnnotation } from "./raw-schema.ts";

/** The differences of two documents, without clauses, versions and lines. Pure. */
export function compareDocuments(old: Document, now: Document, settings: Settings): Comparison {
  const comparison = new Comparison(old, now, settings);
  compareSchemes(comparison);
  compareOperations(comparison);
  const whole = { comparison, side: "contract", operation: null, where: "document" } as const;
  compareOthers({ ...whole, old: old.root, new: now.root, oldPointer: "", newPointer: "" }, outline);
  comparison.gather();
  excuseUnstable(comparison);
  if (settings.withText === true) compareWritten(comparison);
  return comparison;
}

/** Changes that concern only operations announced as draft or alpha are safe: these may change. */
function excuseUnstable(comparison: Comparison): void {
  const unstable = new Set(
    operationsOf(comparison.old)
      .filter(({ raw }) => ["draft", "alpha"].includes(String(raw["x-stability-level"])))
      .map(({ title }) => title),
  );
  const why = "the operation is announced as draft or alpha, which may change";
  for (const change of comparison.list) {
    const isExcused =
      change.operations.length > 0 && change.operations.every((operation) => unstable.has(operation));
    if (isExcused) Object.assign(change, { class: "safe", why });
  }
}

/** Compared by their own rules, or without effect on traffic. */
const outline = `openapi info servers paths webhooks components security tags externalDocs jsonSchemaDialect
  $self`.split(/\s+/);

/** The changes with their lines. A part that exists on one side only is located at its enclosing part on the other. */
export function placed(changes: readonly LocatedChange[], old: Source | null, now: Source): Change[] {
  const [before, after] = [old && placesIn(old), placesIn(now)];
  return changes.map(({ oldPointer, newPointer, sights: _sights, schema: _schema, ...change }) => {
    const was_at = oldPointer === null ? null : (before?.(oldPointer) ?? null);
    const at = newPointer === null ? null : after(newPointer);
    return { ...change, was_at, at };
  });
}

/** Merges repeated changes: the same change to a part of the same name in several places is reported once. */
export function grouped(changes: readonly Change[]): Change[] {
  const groups = Map.groupBy(
    changes,
    ({ kind, class: worst, side, where, old, new: now, since, ignored }) => {
      const part = /[^.]*$/.exec(where.replace(/^answer \w+:? ?/, ""))![0];
      return JSON.stringify([kind, worst, side, part, old, now, since, ignored]);
    },
  );
  return [...groups.values()].map((group) => {
    const [, ...others] = Map.groupBy(group, ({ where }) => where).values();
    const also = others.map((list) => {
      const { where, operations, at, fingerprint } = list.reduce(merged);
      return { where, operations, at, fingerprint };
    });
    return { ...group.reduce(merged), also };
  });
}

/** A change with the operations and the traffic of another. */
function merged(one: Change, other: Change): Change {
  const both = (names: string[], others: string[]): string[] => [...new Set([...names, ...others])];
  const traffic = other.traffic ? both(one.traffic ?? [], other.traffic) : one.traffic;
  return { ...one, operations: both(one.operations, other.operations), traffic };
}

/** The worst first; within a class, in document order. */
export const sorted = (changes: readonly Change[]): Change[] =>
  changeClasses.flatMap((changeClass) => changes.filter((change) => change.class === changeClass));

const texts = ["info", "tags", "externalDocs", "openapi", "jsonSchemaDialect", "operationId"];

/**
 * Reports where the documents are written differently although no difference was found there: wording, examples, unused
 * parts, equivalent forms. Call it after all other comparisons.
 */
function compareWritten(comparison: Comparison): void {
  // What is open on both sides is reported as a whole, since nothing below it was compared.
  const looked = comparison.list.filter(({ kind }) => kind !== "open_changed");
  const reported = new Set(looked.flatMap(({ oldPointer, newPointer }) => [oldPointer, newPointer]));
  // The versions are compared last, with all that changed.
  reported.add("/info/version");
  const walk = (old: Json | undefined, now: Json | undefined, pointer: string, isText: boolean): void => {
    if (reported.has(pointer)) return;
    const areLists = Array.isArray(old) && Array.isArray(now);
    if (areLists || (isObject(old) && isObject(now))) {
      for (const name of new Set([...Object.keys(old), ...Object.keys(now)])) {
        const isWords = !areLists && (isAnnotation(name) || texts.includes(name));
        walk(valueAt(old, [name]), valueAt(now, [name]), `${pointer}/${step(name)}`, isText || isWords);
      }
    } else if (canonical(old) !== canonical(now)) {
      const where = pointer.slice(1).replaceAll("/", ".").replaceAll("~1", "/");
      comparison.add(isText ? "text_changed" : "written_differently", { where, pointer, old, new: now });
    }
  };
  walk(comparison.old.root, comparison.new.root, "", false);
}
