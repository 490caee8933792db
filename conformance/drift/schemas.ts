import type { Document } from "./document.ts";
import { isObject, itemsOf, member, type Json, type JsonObject } from "./json.ts";
import { choicesOf, isAnnotation, joining } from "./raw-schema.ts";
import { Schema, type Joined, type Schemas } from "./schema.ts";

/** The schemas of one document in normal form, each created once. */
export class DocumentSchemas implements Schemas {
  readonly document: Document;
  readonly #label: string;
  readonly #ids = new Map<object, number>();
  readonly #own = new WeakMap<object, JsonObject>();
  readonly #byRaw = new Map<object, Schema>();
  readonly #byKey = new Map<string, Schema>();

  constructor(document: Document, label: string) {
    this.document = document;
    this.#label = label;
  }

  of(raw: Json | undefined): Schema {
    return this.joining(raw === undefined ? [] : [raw]);
  }

  joining(raws: readonly Json[]): Schema {
    const only = raws.length === 1 && isObject(raws[0]) ? raws[0] : undefined;
    const known = only && this.#byRaw.get(only);
    if (known !== undefined) return known;
    const joined: Joined = {
      roots: raws,
      parts: [],
      openParts: [],
      open: false,
      never: false,
      nullable: false,
      readOnly: false,
      writeOnly: false,
    };
    const seen = new Set<object>();
    for (const raw of raws) {
      if (raws.length > 1 && isObject(raw) && this.#isOpen(raw)) joined.openParts.push(raw);
      else this.#join(raw, joined, seen, raws.length === 1);
    }
    const { parts, open, never, nullable, readOnly, writeOnly, openParts } = joined;
    const ids = parts.map((part) => this.#idOf(part)).toSorted((one, other) => one - other);
    const key = [
      ids,
      [open, never, nullable, readOnly, writeOnly].map(Number),
      openParts.map((part) => this.#idOf(part as object)),
    ].join("|");
    let schema = this.#byKey.get(key);
    if (schema === undefined) {
      const [first] = parts.length === 0 ? raws : parts;
      schema = new Schema(
        this,
        `${this.#label}${this.#byKey.size}`,
        this.document.pointerOf(first) ?? "",
        joined,
      );
      this.#byKey.set(key, schema);
    }
    if (only !== undefined) this.#byRaw.set(only, schema);
    return schema;
  }

  #idOf(part: object): number {
    let id = this.#ids.get(part);
    if (id === undefined) this.#ids.set(part, (id = this.#ids.size));
    return id;
  }

  /** @param alone whether nothing else must match, so that a null admitted here is admitted */
  #join(raw: Json | undefined, joined: Joined, seen: Set<object>, alone: boolean): void {
    if (raw === false) joined.never = true;
    if (!isObject(raw) || seen.has(raw)) return;
    seen.add(raw);
    const isBare = this.document.isOld && typeof raw["$ref"] === "string";
    if (isBare) return this.#join(this.document.target(raw["$ref"] as string, raw), joined, seen, alone);
    joined.open ||= raw["x-open"] === true;
    joined.readOnly ||= raw["readOnly"] === true;
    joined.writeOnly ||= raw["writeOnly"] === true;
    // Where another schema must match too, null stays one of two alternatives.
    const single = choicesOf(raw).filter(
      ({ members, hasNull }) => members.length === 1 && (alone || !hasNull),
    );
    const merged = new Set<string>([...joining, ...single.map(({ keyword }) => keyword)]);
    const binding = Object.keys(raw).filter((name) => !isAnnotation(name) && !merged.has(name));
    if (binding.length > 0) joined.parts.push(this.#ownPart(raw, merged));
    const targets = [raw["$ref"], raw["$dynamicRef"]]
      .filter((reference) => typeof reference === "string")
      .map((reference) => this.document.target(reference, raw));
    const inner = [...targets, ...itemsOf(raw["allOf"]), ...single.map(({ members }) => members[0])];
    const admitsNull = raw["type"] === undefined && raw["enum"] === undefined && raw["const"] === undefined;
    if (alone && admitsNull && (raw["nullable"] === true || choicesOf(raw).some(({ hasNull }) => hasNull))) {
      joined.nullable = true;
    }
    for (const part of inner) {
      const isOpen = inner.length > targets.length && isObject(part) && this.#isOpen(part);
      if (isOpen && !targets.includes(part)) joined.openParts.push(part);
      else this.#join(part, joined, seen, alone && binding.length === 0 && inner.length === 1);
    }
  }

  /** A raw schema without the keywords whose schemas are joined with it. */
  #ownPart(raw: JsonObject, merged: ReadonlySet<string>): JsonObject {
    const isWhole = !Object.keys(raw).some((name) => merged.has(name));
    const known = isWhole ? raw : this.#own.get(raw);
    if (known !== undefined) return known;
    const own = Object.fromEntries(Object.entries(raw).filter(([name]) => !merged.has(name)));
    this.#own.set(raw, this.document.derive(own, raw));
    return own;
  }

  #isOpen(raw: JsonObject): boolean {
    const reference = raw["$ref"];
    return (
      raw["x-open"] === true ||
      (typeof reference === "string" && member(this.document.target(reference, raw), "x-open") === true)
    );
  }
}
