import { shownValue, type Change } from "./change.ts";
import { Comparison, type Mode, type Sight } from "./comparison.ts";
import type { Document } from "./document.ts";
import { canonical, member, step, type Json, type JsonObject } from "./json.ts";
import { kinds, type Kind } from "./kinds.ts";
import { isAnnotation } from "./raw-schema.ts";
import type { Schema } from "./schema.ts";

/** A change before its lines are looked up. */
export type Finding = Omit<Change, "at" | "was_at" | "ignored" | "also" | "traffic"> & {
  oldPointer: string | null;
  newPointer: string | null;
  /** For a difference of schemas: its place in an operation, and the schemas. */
  sights: Sight[];
  schemas: { old: Schema; new: Schema } | null;
};

/** The position of a comparison: direction, operation, and place in words. */
export interface Spot {
  side: Change["side"];
  operation: string | null;
  where: string;
}

/** The findings at a spot: values and locations. A pointer without a value is that of the nearest enclosing part. */
export interface Found {
  old?: unknown;
  new?: unknown;
  oldPointer?: string;
  newPointer?: string;
}

/** Lists of values with kinds of change of their own, by their component. */
export type Vocabularies = Readonly<Record<string, { added: Kind; removed: Kind }>>;

/** What a comparison depends on besides the documents. */
export interface Settings {
  /** UTC, YYYY-MM-DD: parts announced to be removed by this date may be removed. */
  today: string;
  /** The header with the contract's version; by default the one whose constant is the version. */
  versionHeader?: string | undefined;
  vocabularies?: Vocabularies | undefined;
  /** Also reports equivalent differences in writing: texts, examples, unused parts. */
  withText?: boolean | undefined;
}

/** The findings of one comparison. A shared component that several operations use yields one finding. */
export class Findings {
  readonly old: Document;
  readonly new: Document;
  readonly settings: Settings;
  readonly comparison: Comparison;
  readonly #found = new Map<string, Finding>();

  constructor(old: Document, now: Document, settings: Settings) {
    this.old = old;
    this.new = now;
    this.settings = settings;
    this.comparison = new Comparison(old, now, settings);
  }

  get list(): Finding[] {
    return [...this.#found.values()];
  }

  /** Compares the schemas of a spot; `gather` adds the findings. */
  compareSchemas(
    spot: Spot & { side: Mode["side"] },
    old: Json | undefined,
    now: Json | undefined,
    how: Omit<Mode, "side"> = { text: false },
  ): void {
    const { comparison } = this;
    comparison.at(spot, { ...how, side: spot.side }, comparison.old.of(old), comparison.new.of(now));
  }

  /** Adds the findings of the schema comparisons. */
  gather(): void {
    const lists = new Set(
      Object.values(this.settings.vocabularies ?? {}).flatMap((one) => Object.values(one)),
    );
    for (const { pair, sights } of this.comparison.differing()) {
      for (const { kind, suffix, found } of pair.differences) {
        const isList = lists.has(kind);
        const [{ spot, steps }] = sights as [Sight];
        const side = isList ? "contract" : spot.side;
        const where = isList
          ? `values of ${pair.new.name ?? pair.old.name}`
          : whereOf(spot.where, steps.join("") + suffix);
        const finding = this.add(kind, { ...spot, side, where }, found);
        finding.sights.push(...sights.map((sight) => ({ ...sight, steps: [...sight.steps, suffix] })));
        finding.schemas ??= { old: pair.old, new: pair.new };
        const operations = sights.flatMap((sight) => sight.spot.operation ?? []);
        finding.operations = [...new Set([...finding.operations, ...operations])];
      }
    }
  }

  add(kind: Kind, { side, operation, where }: Spot, found: Found): Finding {
    const old = shownValue(found.old);
    const now = shownValue(found.new);
    const key = JSON.stringify([kind, side, found.oldPointer ?? where, found.newPointer ?? where, old, now]);
    const known = this.#found.get(key);
    if (known !== undefined) {
      if (operation !== null && !known.operations.includes(operation)) known.operations.push(operation);
      return known;
    }
    const [changeClass, why] = kinds[kind];
    const finding: Finding = {
      kind,
      class: changeClass,
      side,
      operations: operation === null ? [] : [operation],
      where,
      old,
      new: now,
      why,
      oldPointer: found.oldPointer ?? null,
      newPointer: found.newPointer ?? null,
      sights: [],
      schemas: null,
    };
    this.#found.set(key, finding);
    return finding;
  }

  /** Adds the differing members of two objects that no rule covers. @param known those with a rule */
  addOthers(spot: Spot, old: JsonObject, now: JsonObject, known: readonly string[]): void {
    for (const name of new Set([...Object.keys(old), ...Object.keys(now)])) {
      const [before, after] = [member(old, name), member(now, name)];
      if (known.includes(name) || isAnnotation(name) || canonical(before) === canonical(after)) continue;
      const [oldPointer, newPointer] = [this.old.pointerOf(old), this.new.pointerOf(now)];
      this.add(
        "unclassified_changed",
        { ...spot, where: `${spot.where} (${name})` },
        {
          old: before,
          new: after,
          ...(oldPointer !== undefined && { oldPointer: `${oldPointer}/${step(name)}` }),
          ...(newPointer !== undefined && { newPointer: `${newPointer}/${step(name)}` }),
        },
      );
    }
  }
}

/** A place in words: the spot, and the steps inside its schema. */
const whereOf = (where: string, steps: string): string =>
  where.endsWith(":")
    ? steps.startsWith(".")
      ? `${where} ${steps.slice(1)}`
      : `${where.slice(0, -1)}${steps}`
    : where + steps;
