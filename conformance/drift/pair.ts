import { kinds, type Found, type Kind, type Settings, type Spot } from "./change.ts";
import type { Schema, Side } from "./schema.ts";
import type { Sets } from "./sets.ts";

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
  /** What follows the schema's own name in the name of the place: ` (maxLength)`. */
  suffix: string;
  found: Found;
}

/** What all pairs of a comparison share. */
export interface Shared {
  settings: Settings;
  /** The sets of values in each direction. */
  sets: Readonly<Record<Side, Sets>>;
  /** Compares two schemas inside a pair. */
  enter(outer: Pair, step: string, old: Schema, now: Schema, mode: Mode): void;
}

/** Two schemas under comparison, and the comparisons that led to them. */
export class Pair {
  readonly old: Schema;
  readonly new: Schema;
  readonly mode: Mode;
  readonly sets: Sets;
  readonly settings: Settings;
  differences: Difference[] = [];
  /** The comparisons that lead here, each with its step. */
  readonly outer: { pair: Pair; step: string }[] = [];
  /** The places of the contract with these schemas. */
  readonly spots: Spot[] = [];
  isReached = false;
  readonly #enter: Shared["enter"];
  #isContained: boolean | undefined;

  constructor(old: Schema, now: Schema, mode: Mode, { settings, sets, enter }: Shared) {
    this.old = old;
    this.new = now;
    this.mode = mode;
    this.sets = sets[mode.side];
    this.settings = settings;
    this.#enter = enter;
    this.#isContained = mode.isContained;
  }

  /** Compares two schemas inside. */
  inside(step: string, old: Schema, now: Schema, mode = this.mode): void {
    this.#enter(this, step, old, now, mode);
  }

  /** Records a difference, at a keyword if one is named. */
  add = (kind: Kind, found: Found, suffix = "", ...keywords: string[]): void => {
    const at = { oldPointer: this.old.at(...keywords), newPointer: this.new.at(...keywords) };
    this.differences.push({ kind, suffix, found: { ...at, ...found } });
  };

  /** Records the difference of a keyword; `found` is what the schemas say by it, unless given. */
  addKeyword(kind: Kind, keyword: string, found?: Found, suffix = ` (${keyword})`): void {
    const said = { old: this.old.all(keyword)[0], new: this.new.all(keyword)[0] };
    this.add(kind, { ...said, ...found }, suffix, keyword);
  }

  /** Whether every value that was sent is still accepted, or every value that arrives was possible before. */
  get isContained(): boolean {
    const { old, new: now, sets } = this;
    return (this.#isContained ??=
      this.mode.side === "request" ? sets.includes(now, old) : sets.includes(old, now));
  }

  get isHarmful(): boolean {
    return this.differences.some(isHarm);
  }

  /** Drops what only seems to do harm. */
  acquit(): void {
    this.differences = this.differences.filter((one) => !isHarm(one));
  }

  /** Whether everything that leads here does no harm as a whole, so that harm here never shows. */
  isContainedAround(seen = new Set<Pair>()): boolean {
    if (this.spots.length > 0 || this.outer.length === 0) return false;
    return this.outer.every(({ pair }) => {
      if (seen.has(pair)) return true;
      seen.add(pair);
      return pair.isContained || pair.isContainedAround(seen);
    });
  }
}

/** Kinds that are not about which values are admitted. */
const aboutMeaning =
  /_default|(?<!_required)_field_(added|removed)$|_field_with_default|discriminator|obligation|open_changed|deprecated|sunset|^(?!request|answer)/;

const isHarm = ({ kind }: Difference): boolean => kinds[kind][0] !== "safe" && !aboutMeaning.test(kind);

/** Drops what the keywords seem to say and the sets of values refute, and adds what only the sets say. */
export function settle(pair: Pair): void {
  const { differences, mode, sets } = pair;
  const isBreaking = differences.some(({ kind }) => kinds[kind][0] === "breaking");
  // What was never sent, or never arrives, breaks no client.
  if (isBreaking && sets.isEmpty(mode.side === "request" ? pair.old : pair.new)) pair.differences = [];
  if (pair.isHarmful && pair.isContained) return pair.acquit();
  const isQuiet = !pair.isHarmful;
  addReplaced(pair);
  if (isQuiet) addNull(pair);
}

/** Answers that were all impossible before break every client that follows the old contract. */
function addReplaced(pair: Pair): void {
  const { old, new: now, mode, differences } = pair;
  const isSimple = [old, now].every(
    ({ types, isNothing }) => !isNothing && !types.has("object") && !types.has("array"),
  );
  if (mode.side === "request" || !isSimple || differences.length === 0) return;
  if (differences.some(({ kind }) => kinds[kind][0] === "breaking" || !kind.startsWith("answer"))) return;
  if (pair.isContained || !pair.sets.areApart(old, now)) return;
  pair.differences = [];
  pair.add("answer_values_replaced", { old: old.shown, new: now.shown });
}

/** Null that one side excludes, whatever its types and alternatives say of it; as text it cannot be written. */
function addNull({ old, new: now, mode, sets, add }: Pair): void {
  if (mode.text || old.open || now.open) return;
  const isRequest = mode.side === "request";
  const [from, to] = isRequest ? [old, now] : [now, old];
  if (sets.holds(from, null) === true && sets.holds(to, null) === false)
    add(isRequest ? "request_type_narrowed" : "answer_type_widened", { old: old.shown, new: now.shown });
}
