import type { Change } from "./change.ts";
import type { Kind } from "./kinds.ts";
import type { Schema } from "./schema.ts";

/** A change with the locations of its parts in the documents. */
export interface Finding extends Change {
  oldPointer: string | null;
  newPointer: string | null;
  /** For a difference of schemas: its places in operations, and the schemas. */
  sights: Sight[];
  schemas: { old: Schema; new: Schema } | null;
}

/** The position of a comparison: direction, operation, and place in words. */
export interface Spot {
  side: Change["side"];
  operation: string | null;
  where: string;
}

/** What is found at a spot: values and locations. A pointer without a value is that of the nearest enclosing part. */
export interface Found {
  old?: unknown;
  new?: unknown;
  oldPointer?: string;
  newPointer?: string;
}

/** What is found of the contract as a whole, unless a side or an operation is given; `pointer` is the same in both. */
export type Told = Found & Partial<Spot> & Pick<Spot, "where"> & { pointer?: string };

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

/** A place where a difference is visible: a spot, and the steps from its schema to the one that differs. */
export interface Sight {
  spot: Spot;
  steps: string[];
}
