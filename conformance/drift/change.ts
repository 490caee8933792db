import { hash } from "node:crypto";
import table from "./kinds.json" with { type: "json" };
import type { Judged } from "../../base/judged.ts";
import { canonical, type Json } from "../../base/data.ts";
import type { Schema } from "./schema.ts";

/**
 * The effect of a change on a client written for the old contract.
 * - `breaking`: a client that follows the old contract can be refused, or receive an answer the contract ruled out.
 * - `risky`: it depends on the client, or on a judgement that only a person can make.
 * - `safe`: no client that follows the old contract can be harmed.
 */
export type ChangeClass = (typeof changeClasses)[number];
export const changeClasses = ["breaking", "risky", "safe"] as const;

/** A kind of change; where requests and answers differ, there is a kind for each, as `request_type_narrowed`. */
export type Kind = keyof typeof table;

/** Every kind of change, with its class and the reason; a policy can give it another class. */
export const kinds = Object.fromEntries(
  Object.entries(table).map(([kind, said]) => [kind, said.split(/(?<=^\w+): /)]),
) as unknown as Readonly<Record<Kind, readonly [ChangeClass, string]>>;

/** A line of a file, counted from 1; the file as a path from the working folder, or as `revision:path`. */
export interface Place {
  file: string;
  line: number;
}

/** One difference between two contracts, or between a contract and a server. */
export interface Change {
  kind: Kind;
  class: ChangeClass;
  /** The direction it concerns: what clients send, what servers answer, or the contract as a whole. */
  side: "request" | "answer" | "contract";
  /** The affected operations, by method and old path: `GET /orders`; empty when it concerns none in particular. */
  operations: string[];
  /** Its location in words: `answer 200: data.items.*.charge_outcome`. */
  where: string;
  /** The old content as short text; null when there was none. */
  old: string | null;
  /** The new content as short text; null when there is none. */
  new: string | null;
  /** What changed, as a short hash: the same wherever the change is found and printed. */
  fingerprint: string;
  /** The reason for its class. */
  why: string;
  /** The nearest line in the new files; null when unknown. */
  at: Place | null;
  /** The line in the old files; null when there was none. */
  was_at: Place | null;
  /** The other places with the same change, when it is reported once for all of them. */
  also: { where: string; operations: string[]; at: Place | null; fingerprint: string }[];
  /**
   * The recorded exchanges that it would have broken, each as `FILE entry N: METHOD PATH, status`; null without a
   * recording.
   */
  traffic: string[] | null;
  /** With a base: whether the base has it too. Only what is introduced fails. */
  since?: "introduced" | "inherited";
  /** Why it does not count, if the policy ignores it, and until when; null for as long as it is the same change. */
  ignored: { reason: string; expires: string | null } | null;
}

/** The result of a drift command. */
export interface DriftReport {
  command: "generated" | "spec" | "live";
  old: string;
  new: string;
  old_version: string | null;
  new_version: string | null;
  changes: Change[];
  /** What could not be compared and why, and unused entries of the policy. */
  notes: string[];
  /** How many operations were compared. */
  judged: Judged;
  /** The operationIds of each operation that a change names, without those that name another one as well. */
  operation_ids?: Record<string, string[]>;
  /** With a base: what the base changed and the new document does not. */
  mended?: Change[];
}

/** What is known of a change when it is found. */
type Known = Pick<Change, "where" | "operations"> & Partial<Pick<Change, "side" | "at" | "was_at">> & Found;

/**
 * A change of that kind; of the contract as a whole, and without lines, unless these are given.
 * @param subject what changed, if it is found in several places: a part of a component
 */
export function changeOf(kind: Kind, known: Known, subject?: string): Change {
  const [changeClass, why] = kinds[kind];
  const { side = "contract", operations, where, old, new: now, at = null, was_at = null } = known;
  // A text that looks like another value is quoted.
  const isQuoted = old !== now && shownValue(old) === shownValue(now);
  const values = { old: shownValue(old, isQuoted), new: shownValue(now, isQuoted) };
  const found = { side, operations, where, ...values, why, at, was_at };
  const said = canonical([kind, side, subject ?? [...operations, where], old, now], Infinity, isWords);
  const fingerprint = hash("sha256", said).slice(0, 12);
  return { kind, class: changeClass, ...found, also: [], traffic: null, ignored: null, fingerprint };
}

/** The values of one list are one change. */
export const asOne = (values: Json[]): Json => (values.length === 1 ? values[0]! : values);

const maxLength = 200;

/** A value of a document as short text for a reader; null for nothing. */
export function shownValue(value: unknown, isQuoted = false): string | null {
  if (value === undefined) return null;
  const isPlain = typeof value === "string" && !isQuoted && !/^(null|true|false)$/.test(value);
  const text = isPlain ? value : canonical(value, maxLength, isWords);
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
}

/** Whether a member is only for people; in a short text it would hide what the others say. */
const isWords = (name: string, value: unknown): boolean =>
  typeof value === "string" && ["description", "summary", "title"].includes(name);

/** The number of changes that count, by class. */
export function countsOf(changes: readonly Change[]): Record<ChangeClass | "ignored", number> {
  const counts = { breaking: 0, risky: 0, safe: 0, ignored: 0 };
  for (const change of changes) {
    // It follows from the other changes, and is not an extra one.
    if (change.kind !== "version_not_raised") counts[change.ignored ? "ignored" : change.class] += 1;
  }
  return counts;
}

/** A change with the locations of its parts in the documents. */
export interface LocatedChange extends Change {
  oldPointer: string | null;
  newPointer: string | null;
  /** For a difference of schemas: where it is visible, with the steps from the schema there; and the new schema. */
  sights: { spot: Spot; steps: string[] }[];
  schema: Schema | null;
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

/** What a comparison depends on besides the documents. */
export interface Settings {
  /** UTC, YYYY-MM-DD: parts announced to be removed by this date may be removed. */
  today: string;
  /** Lists of values with their own kinds of change, by their component. */
  vocabularies?: Readonly<Record<string, { added: Kind; removed: Kind }>> | undefined;
  /** Also reports equivalent differences in writing: texts, examples, unused parts. */
  withText?: boolean | undefined;
}
