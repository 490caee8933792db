import { operationsOf, referencesFrom, type Document } from "./document.ts";
import type { Findings, Found } from "./findings.ts";
import type { Kind } from "./kinds.ts";

/** The contract's four lists of values on which clients branch, each by its component. */
const vocabularies = {
  ChargeOutcome: ["charge_outcome_added", "charge_outcome_removed"],
  ReasonCode: ["reason_code_added", "reason_code_removed"],
  EventType: ["event_type_added", "event_type_removed"],
  EntryType: ["entry_type_added", "entry_type_removed"],
} as const satisfies Record<string, readonly [Kind, Kind]>;

const folder = "/components/schemas/";

/** Whether a schema is one of the four lists on both sides, which are compared once, as what they are. */
export const isVocabulary = (findings: Findings, pointer: string): boolean =>
  pointer.startsWith(folder) &&
  Object.hasOwn(vocabularies, pointer.slice(folder.length)) &&
  [findings.old, findings.new].every((document) => Array.isArray(document.valueAt(`${pointer}/enum`)));

/** Compares the lists of charge outcomes, reason codes, event types and entry types. */
export function compareVocabularies(findings: Findings): void {
  for (const [name, [added, removed]] of Object.entries(vocabularies)) {
    const pointer = `${folder}${name}/enum`;
    const before = findings.old.valueAt(pointer);
    const after = findings.new.valueAt(pointer);
    if (!Array.isArray(before) || !Array.isArray(after)) continue;
    const record = (kind: Kind, found: Found): void => {
      for (const operation of operationsUsing(findings.old, `${folder}${name}`)) {
        const spot = { side: "contract", operation, where: `values of ${name}` } as const;
        findings.add(kind, spot, { ...found, oldPointer: pointer, newPointer: pointer });
      }
    };
    for (const value of before) if (!after.includes(value)) record(removed, { old: value });
    for (const value of after) if (!before.includes(value)) record(added, { new: value });
  }
}

/** The operations of a document that refer to a component, directly or through others; null when none does. */
function operationsUsing(document: Document, pointer: string): (string | null)[] {
  const users = operationsOf(document)
    .filter(({ operation }) => referencesFrom(document, operation).has(pointer))
    .map(({ name }) => name);
  return users.length > 0 ? users : [null];
}
