import { shownValue } from "./change.ts";
import { compareSchema } from "./compare-schemas.ts";
import { Comparison, type Mode } from "./comparison.ts";
import type { Document } from "./document.ts";
import type { Finding, Found, Settings, Sight, Spot } from "./finding.ts";
import { canonical, member, step, type Json, type JsonObject } from "./json.ts";
import { kinds, type Kind } from "./kinds.ts";
import { isAnnotation } from "./raw-schema.ts";

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
