import { changeOf, type LocatedChange, type Found, type Kind, type Settings, type Spot } from "./change.ts";
import { compareSchema } from "./compare-schemas.ts";
import type { Document } from "./document.ts";
import { kept, member } from "../../base/data.ts";
import { Pair, settle, type Mode } from "./pair.ts";
import { pairedOperations, type PairedOperations } from "./pair-operations.ts";
import { sameIn } from "./same.ts";
import { Schemas, type Schema, type Side } from "./schema.ts";
import { Sets } from "./sets.ts";

/** Maximum number of places found for one difference, the nearest first. */
const maxSights = 100;
/** Maximum number of steps to find the places of all differences; beyond it, each is reported at one place. */
const maxSteps = 10_000_000;

/**
 * The changes of one comparison. Each pair of schemas is compared once, however often it is referenced, so the work is
 * linear in the number of pairs, recursive schemas terminate, and a component that several operations use yields one
 * change.
 */
export class Comparison {
  readonly old: Document;
  readonly new: Document;
  readonly settings: Settings;
  readonly schemas: { readonly old: Schemas; readonly new: Schemas };
  readonly operations: PairedOperations;
  /** The sets of values in each direction. */
  readonly #sets: Readonly<Record<Side, Sets>>;
  readonly #areSame: ReturnType<typeof sameIn>;
  readonly #found = new Map<string, LocatedChange>();
  readonly #pairs = new Map<string, Pair>();
  readonly #waiting: Pair[] = [];
  #steps = 0;

  constructor(old: Document, now: Document, settings: Settings) {
    this.old = old;
    this.new = now;
    this.settings = settings;
    this.schemas = { old: new Schemas(old), new: new Schemas(now) };
    this.operations = pairedOperations(this.schemas.old, this.schemas.new, settings.today);
    const areSame = (this.#areSame = sameIn(old, now));
    this.#sets = { request: new Sets("request", areSame), answer: new Sets("answer", areSame) };
  }

  get list(): LocatedChange[] {
    return [...this.#found.values()];
  }

  /** The schemas of a part. */
  schemasOf({ old, new: now }: Found, name: "schema" | "itemSchema" = "schema"): { was: Schema; is: Schema } {
    const { schemas } = this;
    return { was: schemas.old.of(member(old, name)), is: schemas.new.of(member(now, name)) };
  }

  /** Compares two schemas of a part and everything inside them; `gather` adds the changes. */
  compareSchemas(part: Spot & Found, how: Omit<Mode, "side"> = {}, { was, is } = this.schemasOf(part)): void {
    const { side, operation, where } = part;
    this.#pair(was, is, { ...how, side: side as Side }).spots.push({ side, operation, where });
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) {
      if (next.isReached) continue;
      next.isReached = true;
      if (this.#areSame(next.old, next.new)) continue;
      compareSchema(next);
      settle(next);
      for (const { step, old, new: now, mode } of next.inner) {
        const { outer } = this.#pair(old, now, mode);
        if (!outer.has(next)) outer.set(next, step);
      }
    }
  }

  #pair(old: Schema, now: Schema, mode: Mode): Pair {
    const { side, text = false, required = false, isEqual = false } = mode;
    const namesIn = (schemas: ReadonlySet<Schema>, namesOf: (schema: Schema) => Iterable<string>) =>
      [...new Set([...schemas].flatMap((schema) => [...namesOf(schema)]))].join(" ");
    const around = mode.around?.map((all) => [
      namesIn(all, (each) => each.fields(side).keys()),
      namesIn(all, (each) => each.required(side)),
    ]);
    const key = `${old.id} ${now.id} ${side} ${text} ${required} ${isEqual} ${around?.join("; ") ?? ""}`;
    const make = (): Pair => new Pair(old, now, mode, this.#sets[side], this.settings);
    const pair = kept(this.#pairs, key, make);
    this.#waiting.push(pair);
    return pair;
  }

  /** Adds the changes of the schemas; each names its operations once. */
  gather(): void {
    for (const pair of this.#pairs.values()) {
      pair.acquit();
      if (pair.differences.length === 0) continue;
      const sights = this.#sightsOf(pair);
      const [{ spot, steps }] = sights as [LocatedChange["sights"][0]];
      const operations = sights.flatMap((sight) => sight.spot.operation ?? []);
      for (const { kind, suffix, ...details } of pair.differences) {
        const where = whereOf(spot.where, steps.join("") + suffix);
        const located = this.add(kind, { ...spot, where, ...details }, suffix);
        located.sights.push(...sights.map((sight) => ({ ...sight, steps: [...sight.steps, suffix] })));
        located.schema ??= pair.new;
        located.operations = [...new Set([...located.operations, ...operations])];
      }
    }
  }

  /** Traces a pair back to the places that lead to it, the nearest first; one for each operation and side. */
  #sightsOf(pair: Pair): LocatedChange["sights"] {
    const sights = new Map<string, LocatedChange["sights"][0]>();
    /** The pairs that lead to this one, with the steps from each. */
    const ways = new Map<Pair, string[]>([[pair, []]]);
    for (const [{ spots, outer }, steps] of ways) {
      this.#steps += spots.length + outer.size;
      for (const spot of spots) {
        const key = `${spot.operation ?? ""} ${spot.side}`;
        if (!sights.has(key)) sights.set(key, { spot, steps });
      }
      if (sights.size > maxSights || (sights.size > 0 && this.#steps > maxSteps)) break;
      for (const [one, step] of outer) if (!ways.has(one)) ways.set(one, [step, ...steps]);
    }
    return [...sights.values()];
  }

  /**
   * Adds what is found at a place, which is the contract as a whole unless a side or an operation is given.
   * @param details `pointer` is the location in both documents
   * @param suffix the part of what is there that changed, such as a field of which the schema is elsewhere
   */
  add(
    kind: Kind,
    details: Found & Partial<Spot> & { where: string; pointer?: string },
    suffix = "",
  ): LocatedChange {
    const { operation = null, pointer = null, ...found } = details;
    const { oldPointer = pointer, newPointer = pointer } = found;
    const operations = operation === null ? [] : [operation];
    const part = partOfComponent(oldPointer ?? newPointer);
    const change = changeOf(kind, { ...found, operations }, part && part + suffix);
    const { side, where, old, new: now } = change;
    const key = JSON.stringify([kind, side, oldPointer ?? where, newPointer ?? where, suffix, old, now]);
    const unseen = { oldPointer, newPointer, sights: [], schema: null };
    const located = kept(this.#found, key, () => ({ ...change, ...unseen }));
    located.operations = [...new Set([...located.operations, ...operations])];
    return located;
  }
}

/** A location inside a component, wherever its file is; undefined elsewhere. */
const partOfComponent = (pointer: string | null): string | undefined =>
  /\/components\/.*/s.exec(pointer ?? "")?.[0];

/** A place in words: the spot, and the steps inside its schema. */
export function whereOf(where: string, steps: string): string {
  if (!where.endsWith(":")) return where + steps;
  return steps.startsWith(".") ? `${where} ${steps.slice(1)}` : where.slice(0, -1) + steps;
}
