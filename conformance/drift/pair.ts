import { kinds, type Found, type Kind, type Settings, type Spot } from "./change.ts";
import type { Schema, Side } from "./schema.ts";
import type { Sets } from "./sets.ts";

/** How to compare two schemas: in which direction, and whether their values are transmitted as text. */
export interface Mode {
  side: Side;
  /** A parameter or a header, whose numbers are transmitted as text. */
  text?: boolean;
  /** Required in both contracts: the value is never absent, and its default never used. */
  required?: boolean;
  /** Part of schemas that admit the same, however they are written: only the meaning of values may differ. */
  isEqual?: boolean;
  /** Alternatives: the schemas around them on each side, which may declare and require the same fields. */
  around?: readonly [old: ReadonlySet<Schema>, new: ReadonlySet<Schema>] | undefined;
}

/** A difference of two schemas; unless it says where, it is wherever they are used, at a suffix as ` (maxLength)`. */
type Difference = Found & Partial<Spot> & { kind: Kind; suffix: string };

/** Keywords that are about the schema as a whole, and so are not named in a place. */
const unnamed = ["type", "default", "discriminator", "enum", "x-values"];

/** Two schemas under comparison, what was found in them, and the comparisons that led to them. */
export class Pair {
  readonly old: Schema;
  readonly new: Schema;
  /** The schema of the values that are sent, and that of those who receive them. */
  readonly sent: Schema;
  readonly known: Schema;
  mode: Mode;
  readonly sets: Sets;
  readonly settings: Settings;
  differences: Difference[] = [];
  readonly inner: { step: string; old: Schema; new: Schema; mode: Mode }[] = [];
  /** The comparisons that lead here, each with its step. */
  readonly outer = new Map<Pair, string>();
  /** The places of the contract with these schemas. */
  readonly spots: Spot[] = [];
  isReached = false;
  #isContained: boolean | undefined;

  constructor(old: Schema, now: Schema, mode: Mode, sets: Sets, settings: Settings) {
    this.old = old;
    this.new = now;
    [this.sent, this.known] = mode.side === "request" ? [old, now] : [now, old];
    this.mode = mode;
    this.sets = sets;
    this.settings = settings;
  }

  /** Notes two schemas inside, with the step that leads there. */
  inside = (step: string, old: Schema, now: Schema, { around: _, ...mode } = this.mode): void => {
    this.inner.push({ step, old, new: now, mode });
  };

  /** Notes two alternatives, with the step that leads there. */
  insideChoice = (step: string, old: Schema, now: Schema): void => {
    const { side, around: [before = [], after = []] = [] } = this.mode;
    const around = [new Set([...before, this.old]), new Set([...after, this.new])] as const;
    const haveFields = around.some((schemas) => [...schemas].some((each) => each.fields(side).size > 0));
    this.inner.push({ step, old, new: now, mode: { ...this.mode, around: haveFields ? around : undefined } });
  };

  /** Records a difference: of a keyword, or another that says the same, if one is named, else of the schemas. */
  add = (kind: Kind, details: Partial<Difference> = {}, ...keywords: string[]): void => {
    const [keyword] = keywords;
    const [old, now] = [this.old, this.new].map((schema) =>
      keyword === undefined ? schema.shown : schema.all(keyword)[0],
    );
    const suffix = keyword === undefined || unnamed.includes(keyword) ? "" : ` (${keyword})`;
    const { oldPointer = this.old.at(...keywords), newPointer = this.new.at(...keywords) } = details;
    this.differences.push({ kind, suffix, old, new: now, ...details, oldPointer, newPointer });
  };

  /** Whether every value that was sent is still accepted, or every value that arrives was possible before. */
  get isContained(): boolean {
    return (this.#isContained ??= this.sets.includes(this.known, this.sent));
  }

  /** Drops what only seems to do harm: what as a whole does none, itself or all that leads here. */
  acquit(): void {
    if (this.differences.some(isHarm) && this.#isHarmless) this.drop(isHarm);
  }

  drop(isIt: (difference: Difference) => boolean): void {
    this.differences = this.differences.filter((difference) => !isIt(difference));
  }

  get #isHarmless(): boolean {
    const around = new Set<Pair>([this]);
    for (const pair of around) {
      if (pair.isContained) continue;
      if (pair.spots.length > 0 || pair.outer.size === 0) return false;
      for (const outer of pair.outer.keys()) around.add(outer);
    }
    return true;
  }
}

/** Kinds that are not about which values are admitted. */
const aboutMeaning =
  /_default|(?<!_required)_field_(added|removed)$|_field_with_default|discriminator|obligation|open_changed|deprecated|sunset|^(?!request|answer)/;

const isAboutValues = ({ kind }: Difference): boolean => !aboutMeaning.test(kind);
const isHarm = (difference: Difference): boolean =>
  kinds[difference.kind][0] !== "safe" && isAboutValues(difference);
const isBreaking = ({ kind }: Difference): boolean => kinds[kind][0] === "breaking";

/** Drops what the keywords seem to say and the sets of values refute, and adds what only the sets say. */
export function settle(pair: Pair): void {
  const { old, new: now, sent, known, mode, sets } = pair;
  // The same values in other words, as alternatives in other groups.
  const isListed = pair.differences.some(({ kind }) => /_enum_(introduced|lifted)$/.test(kind));
  if (pair.mode.isEqual || (isListed && sets.areAlike(old, now))) pair.drop(isAboutValues);
  // What was never sent, or never arrives, breaks no client; but nobody means to send nothing by contradicting himself.
  if (pair.differences.some(isBreaking) && sets.areApart(sent, sent)) {
    pair.differences = [];
    if (!sent.isNothing) pair.add("schema_admits_nothing");
  }
  const isHarmful = pair.differences.some(isHarm);
  if (areReplaced(pair)) {
    pair.differences = [];
    const [was, is] = [old, now].map(({ values, shown }) => values ?? shown);
    pair.add("answer_values_replaced", { old: was, new: is });
  }
  // One side excludes null, whatever its types and alternatives say of it; as text it cannot be written.
  if (isHarmful || mode.text || old.open || now.open) return;
  if (sets.holds(sent, null) === true && sets.holds(known, null) === false) compareNull(pair);
}

/** Null was added, or removed. */
export function compareNull(pair: Pair): void {
  const { old, new: now, mode, sets } = pair;
  const [was, is] = [old, now].map((schema) => (sets.holds(schema, null) === true ? "or null" : "not null"));
  const kind = `${mode.side}_type_${is === "or null" ? "widened" : "narrowed"}` as const;
  if (was !== is && !mode.text) pair.add(kind, { old: was, new: is });
}

/** Whether answers were all impossible before, which breaks every client that follows the old contract. */
function areReplaced(pair: Pair): boolean {
  const { old, new: now, mode, differences } = pair;
  const isSimple = ({ types, isNothing }: Schema): boolean =>
    !isNothing && !types.has("object") && !types.has("array");
  const areMild = differences.every(
    (difference) => !isBreaking(difference) && difference.kind.startsWith("answer"),
  );
  if (mode.side === "request" || differences.length === 0 || !areMild) return false;
  return isSimple(old) && isSimple(now) && !pair.isContained && pair.sets.areApart(old, now);
}
