import {
  changeOf,
  type Finding,
  type Found,
  type Kind,
  type Settings,
  type Sight,
  type Spot,
  type FoundAt,
} from "./change.ts";
import { compareSchema } from "./compare-schemas.ts";
import type { Document } from "./document.ts";
import { member } from "./json.ts";
import { Pair, settle, type Mode, type Shared } from "./pair.ts";
import { sameIn } from "./same.ts";
import { Schemas, type Schema, type Side } from "./schema.ts";
import { Sets } from "./sets.ts";

/** Maximum number of places found for one difference, the nearest first. */
const maxSights = 100;
/** Maximum number of steps to find the places of all differences; beyond it, each is reported at one place. */
const maxSteps = 10_000_000;

/**
 * The findings of one comparison. Each pair of schemas is compared once, however often it is referenced, so the work is
 * linear in the number of pairs, recursive schemas terminate, and a component that several operations use yields one
 * finding.
 */
export class Findings implements Shared {
  readonly old: Document;
  readonly new: Document;
  readonly settings: Settings;
  readonly sets = { request: new Sets("request"), answer: new Sets("answer") };
  readonly schemas: { readonly old: Schemas; readonly new: Schemas };
  readonly #areSame: ReturnType<typeof sameIn>;
  readonly #found = new Map<string, Finding>();
  readonly #pairs = new Map<string, Pair>();
  readonly #waiting: Pair[] = [];
  #steps = 0;

  constructor(old: Document, now: Document, settings: Settings) {
    this.old = old;
    this.new = now;
    this.settings = settings;
    this.schemas = { old: new Schemas(old), new: new Schemas(now) };
    this.#areSame = sameIn(old, now);
  }

  get list(): Finding[] {
    return [...this.#found.values()];
  }

  /** The schemas of a part. */
  schemasOf({ old, new: now }: Found): { was: Schema; is: Schema } {
    const { schemas } = this;
    return { was: schemas.old.of(member(old, "schema")), is: schemas.new.of(member(now, "schema")) };
  }

  /** Compares two schemas of a part and everything inside them; `gather` adds the findings. */
  compareSchemas(
    part: Spot & Found,
    how: Omit<Mode, "side"> = { text: false },
    { was, is } = this.schemasOf(part),
  ): void {
    const { side, operation, where } = part;
    this.#pair(was, is, { ...how, side: side as Side }).spots.push({ side, operation, where });
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) {
      if (next.isReached) continue;
      next.isReached = true;
      if (this.#areSame(next.old, next.new)) continue;
      compareSchema(next);
      settle(next);
    }
  }

  enter = (outer: Pair, step: string, old: Schema, now: Schema, mode: Mode): void => {
    const pair = this.#pair(old, now, mode);
    if (pair.outer.at(-1)?.pair !== outer) pair.outer.push({ pair: outer, step });
  };

  #pair(old: Schema, now: Schema, mode: Mode): Pair {
    const { side, text, required = false, isContained = false } = mode;
    const key = `${old.id} ${now.id} ${side} ${text} ${required} ${isContained}`;
    let pair = this.#pairs.get(key);
    if (pair === undefined) this.#pairs.set(key, (pair = new Pair(old, now, mode, this)));
    this.#waiting.push(pair);
    return pair;
  }

  /** Adds the findings of the schemas; each names its operations once. */
  gather(): void {
    const lists = new Set(Object.values(this.settings.vocabularies ?? {}).flatMap(Object.values));
    for (const pair of this.#pairs.values()) {
      if (pair.isHarmful && pair.isContainedAround()) pair.acquit();
      const sights = pair.differences.length === 0 ? [] : this.#sightsOf(pair);
      for (const { kind, suffix, found } of sights.length === 0 ? [] : pair.differences) {
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

  /** Traces a pair back to the places that lead to it, the nearest first. */
  #sightsOf(pair: Pair): Sight[] {
    const sights: Sight[] = [];
    const named = new Set<string>();
    const seen = new Set<Pair>([pair]);
    const ways: { pair: Pair; steps: string[] }[] = [{ pair, steps: [] }];
    for (const way of ways) {
      this.#steps += way.pair.spots.length + way.pair.outer.length;
      for (const spot of way.pair.spots) {
        const key = `${spot.operation ?? ""} ${spot.side}`;
        if (named.has(key)) continue;
        named.add(key);
        sights.push({ spot, steps: way.steps });
      }
      if (sights.length > maxSights || (sights.length > 0 && this.#steps > maxSteps)) break;
      for (const { pair: outer, step } of way.pair.outer) {
        if (!seen.has(outer)) ways.push({ pair: outer, steps: [step, ...way.steps] });
        seen.add(outer);
      }
    }
    return sights;
  }

  add(kind: Kind, given: FoundAt): Finding {
    const { operation = null, pointer, oldPointer = pointer, newPointer = pointer, ...found } = given;
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
