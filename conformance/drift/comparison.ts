import type { Document } from "./document.ts";
import type { Found, Settings, Sight, Spot } from "./change.ts";
import { kinds, type Kind } from "./kinds.ts";
import { Same } from "./same.ts";
import { Sets } from "./sets.ts";
import { Schemas, type Schema, type Side } from "./schema.ts";

/** How to compare two schemas: in which direction, and whether their values are transmitted as text. */
export interface Mode {
  side: Side;
  /** A parameter or a header, whose numbers are transmitted as text. */
  text: boolean;
  /** Required in both contracts: the value is never absent, and its default never used. */
  required?: boolean;
  /** Part of a schema that is known to do no harm as a whole: only its meaning may. */
  isContained?: boolean;
}

/** A difference of two schemas, without the place where they are used. */
interface Difference {
  kind: Kind;
  /** What the place is called beside the schema's own name: ` (maxLength)`. */
  suffix: string;
  found: Found;
}

/** Two schemas under comparison, and the comparisons that led to them. */
export class Pair {
  readonly old: Schema;
  readonly new: Schema;
  readonly mode: Mode;
  /** The sets of values in its direction. */
  readonly sets: Sets;
  differences: Difference[] = [];
  /** The comparisons of inner schemas. */
  readonly inner = new Set<Pair>();
  /** The comparisons that lead here, each with its step. */
  readonly outer: { pair: Pair; step: string }[] = [];
  /** The places of the contract with these schemas. */
  readonly spots: Spot[] = [];
  isReached = false;
  #isContained: boolean | undefined;

  constructor(old: Schema, now: Schema, mode: Mode, sets: Sets) {
    this.old = old;
    this.new = now;
    this.mode = mode;
    this.sets = sets;
    this.#isContained = mode.isContained;
  }

  /** Records a difference, at a keyword if one is named. */
  tell = (kind: Kind, found: Found, suffix = "", ...keywords: string[]): void => {
    const at = { oldPointer: this.old.at(...keywords), newPointer: this.new.at(...keywords) };
    this.differences.push({ kind, suffix, found: { ...at, ...found } });
  };

  /** Whether every value that was sent is still taken, or every value that comes was possible before. */
  get isContained(): boolean {
    const { old, new: now, sets } = this;
    return (this.#isContained ??=
      this.mode.side === "request" ? sets.includes(now, old) : sets.includes(old, now));
  }
}

/** Kinds that are not about which values are admitted. */
const aboutMeaning =
  /_default|(?<!_required)_field_(added|removed)$|_field_with_default|discriminator|obligation|open_changed|deprecated|sunset|^(?!request|answer)/;

const isHarm = ({ kind }: Difference): boolean => kinds[kind][0] !== "safe" && !aboutMeaning.test(kind);

/** Compares the keywords of two schemas, and names the pairs inside them. */
type CompareSchema = (comparison: Comparison, pair: Pair) => void;

/** Maximum number of places found for one difference, the nearest first. */
const maxSights = 100;
/** Maximum number of steps to find the places of all differences; beyond it, each is reported at one place. */
const maxSteps = 10_000_000;

/**
 * Compares schemas of two documents. Each pair is compared once, however often it is referenced, so the work is linear
 * in the number of pairs, and recursive schemas terminate.
 */
export class Comparison {
  readonly old: Schemas;
  readonly new: Schemas;
  readonly settings: Settings;
  readonly #compareSchema: CompareSchema;
  readonly #sets = { request: new Sets("request"), answer: new Sets("answer") };
  readonly #same: Same;
  readonly #pairs = new Map<string, Pair>();
  #steps = 0;

  constructor(old: Document, now: Document, settings: Settings, compareSchema: CompareSchema) {
    this.settings = settings;
    this.#compareSchema = compareSchema;
    this.old = new Schemas(old);
    this.new = new Schemas(now);
    this.#same = new Same(old, now);
  }

  /** Compares the schemas of a place and everything inside them. */
  at(spot: Spot, mode: Mode, old: Schema, now: Schema): void {
    const pair = this.#pair(old, now, mode);
    pair.spots.push(spot);
    const waiting = [pair];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (next.isReached) continue;
      next.isReached = true;
      if (this.#same.are(next.old, next.new)) continue;
      this.#compareSchema(this, next);
      settle(next);
      waiting.push(...next.inner);
    }
  }

  /** Compares two inner schemas of a pair. */
  inside(outer: Pair, step: string, old: Schema, now: Schema, mode = outer.mode): void {
    const pair = this.#pair(old, now, mode);
    if (outer.inner.has(pair)) return;
    outer.inner.add(pair);
    pair.outer.push({ pair: outer, step });
  }

  #pair(old: Schema, now: Schema, mode: Mode): Pair {
    const { side, text, required = false, isContained = false } = mode;
    const key = `${old.id} ${now.id} ${side} ${text} ${required} ${isContained}`;
    let pair = this.#pairs.get(key);
    if (pair === undefined) this.#pairs.set(key, (pair = new Pair(old, now, mode, this.#sets[side])));
    return pair;
  }

  /** The pairs that differ, each with its places; each operation is named once. */
  *differing(): Generator<{ pair: Pair; sights: Sight[] }> {
    for (const pair of this.#pairs.values()) {
      if (pair.differences.some(isHarm) && isContainedAround(pair)) withoutHarm(pair);
      if (pair.differences.length === 0) continue;
      const sights = this.#sightsOf(pair);
      if (sights.length > 0) yield { pair, sights };
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
}

function withoutHarm(pair: Pair): void {
  pair.differences = pair.differences.filter((one) => !isHarm(one));
}

/** Whether all that leads to a pair does no harm as a whole, so that its own harm never shows. */
function isContainedAround({ spots, outer }: Pair, seen = new Set<Pair>()): boolean {
  if (spots.length > 0 || outer.length === 0) return false;
  return outer.every(({ pair }) => {
    if (seen.has(pair)) return true;
    seen.add(pair);
    return pair.isContained || isContainedAround(pair, seen);
  });
}

/** Leaves out what the keywords seem to say and the sets of values refute, and adds what only the sets say. */
function settle(pair: Pair): void {
  const { differences, mode, sets } = pair;
  const isBreaking = differences.some(({ kind }) => kinds[kind][0] === "breaking");
  // What was never sent, or never comes, breaks nobody.
  if (isBreaking && sets.isEmpty(mode.side === "request" ? pair.old : pair.new)) pair.differences = [];
  if (pair.differences.some(isHarm) && pair.isContained) return withoutHarm(pair);
  const isQuiet = !pair.differences.some(isHarm);
  tellReplaced(pair);
  if (isQuiet) tellNull(pair);
}

/** Answers of which none was possible before break every client that follows the old contract. */
function tellReplaced(pair: Pair): void {
  const { old, new: now, mode, differences } = pair;
  const isSimple = [old, now].every(
    ({ types, isNothing }) => !isNothing && types !== null && !types.has("object") && !types.has("array"),
  );
  if (mode.side === "request" || !isSimple || differences.length === 0) return;
  if (differences.some(({ kind }) => kinds[kind][0] === "breaking" || !kind.startsWith("answer"))) return;
  if (pair.isContained || !pair.sets.areApart(old, now)) return;
  pair.differences = [];
  pair.tell("answer_values_replaced", { old: old.shown, new: now.shown });
}

/** Null that one side excludes, whatever its types and alternatives say of it; as text it cannot be written. */
function tellNull(pair: Pair): void {
  const { old, new: now, mode, sets } = pair;
  if (mode.text || old.open || now.open) return;
  const [from, to, kind] =
    mode.side === "request"
      ? ([old, now, "request_type_narrowed"] as const)
      : ([now, old, "answer_type_widened"] as const);
  if (sets.holds(from, null) === true && sets.holds(to, null) === false)
    pair.tell(kind, { old: old.shown, new: now.shown });
}
