import { shownValue, type Change } from "./change.ts";
import type { Document } from "./document.ts";
import { kinds, type Kind } from "./kinds.ts";

/** A change before its lines are looked up. */
export type Finding = Omit<Change, "at" | "was_at" | "ignored"> & {
  oldPointer: string | null;
  newPointer: string | null;
};

/** Where a comparison is: in which direction, of which operation, at what in words. */
export interface Spot {
  side: Change["side"];
  operation: string | null;
  where: string;
}

/** What was found at a spot: values and where they stand. A pointer without a value is the nearest that encloses it. */
export interface Found {
  old?: unknown;
  new?: unknown;
  oldPointer?: string;
  newPointer?: string;
}

/** The findings of one comparison. What a shared component shows through several operations is one finding. */
export class Findings {
  readonly old: Document;
  readonly new: Document;
  readonly #found = new Map<string, Finding>();

  constructor(oldDocument: Document, newDocument: Document) {
    this.old = oldDocument;
    this.new = newDocument;
  }

  get list(): Finding[] {
    return [...this.#found.values()];
  }

  add(kind: Kind, { side, operation, where }: Spot, found: Found): void {
    const old = shownValue(found.old);
    const now = shownValue(found.new);
    const key = JSON.stringify([
      kind,
      side,
      found.oldPointer ?? where,
      found.newPointer ?? where,
      found.old,
      found.new,
    ]);
    const known = this.#found.get(key);
    if (known !== undefined) {
      if (operation !== null && !known.operations.includes(operation)) known.operations.push(operation);
      return;
    }
    const [changeClass, why] = kinds[kind];
    this.#found.set(key, {
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
    });
  }
}
