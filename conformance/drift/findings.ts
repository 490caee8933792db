import {
  changeOf,
  type Finding,
  type Found,
  type Settings,
  type Sight,
  type Spot,
  type Told,
} from "./change.ts";
import { compareSchema } from "./compare-schemas.ts";
import { Comparison, type Mode } from "./comparison.ts";
import type { Document } from "./document.ts";
import { member } from "./json.ts";
import type { Kind } from "./kinds.ts";
import type { Schema, Side } from "./schema.ts";

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
    this.comparison = new Comparison(old, now, settings, compareSchema);
  }

  get list(): Finding[] {
    return [...this.#found.values()];
  }

  /** The schemas of a part. */
  schemasOf({ old, new: now }: Found): { was: Schema; is: Schema } {
    const { comparison } = this;
    return { was: comparison.old.of(member(old, "schema")), is: comparison.new.of(member(now, "schema")) };
  }

  /** Compares the schemas of a part; `gather` adds the findings. */
  compareSchemas(part: Spot & Found, how: Omit<Mode, "side"> = { text: false }): void {
    const { was, is } = this.schemasOf(part);
    const { side, operation, where } = part;
    this.comparison.at({ side, operation, where }, { ...how, side: side as Side }, was, is);
  }

  /** Adds the findings of the schema comparisons. */
  gather(): void {
    const lists = new Set(Object.values(this.settings.vocabularies ?? {}).flatMap(Object.values));
    for (const { pair, sights } of this.comparison.differing()) {
      for (const { kind, suffix, found } of pair.differences) {
        const [{ spot, steps }] = sights as [Sight];
        const place = lists.has(kind)
          ? ({ side: "contract", where: `values of ${pair.new.name ?? pair.old.name}` } as const)
          : { side: spot.side, where: whereOf(spot.where, steps.join("") + suffix) };
        const finding = this.add(kind, { ...spot, ...place, ...found });
        finding.sights.push(...sights.map((sight) => ({ ...sight, steps: [...sight.steps, suffix] })));
        finding.schemas ??= { old: pair.old, new: pair.new };
        const operations = sights.flatMap((sight) => sight.spot.operation ?? []);
        finding.operations = [...new Set([...finding.operations, ...operations])];
      }
    }
  }

  add(kind: Kind, told: Told): Finding {
    const { operation = null, pointer, oldPointer = pointer, newPointer = pointer, ...found } = told;
    const operations = operation === null ? [] : [operation];
    const change = changeOf(kind, { ...found, operations });
    const { side, where, old, new: now } = change;
    const key = JSON.stringify([kind, side, oldPointer ?? where, newPointer ?? where, old, now]);
    let known = this.#found.get(key);
    if (known === undefined) {
      const pointers = { oldPointer: oldPointer ?? null, newPointer: newPointer ?? null };
      this.#found.set(key, (known = { ...change, ...pointers, sights: [], schemas: null }));
    } else known.operations = [...new Set([...known.operations, ...operations])];
    return known;
  }
}

/** A place in words: the spot, and the steps inside its schema. */
const whereOf = (where: string, steps: string): string =>
  !where.endsWith(":")
    ? where + steps
    : steps.startsWith(".")
      ? `${where} ${steps.slice(1)}`
      : where.slice(0, -1) + steps;
