import type { Document } from "../document.ts";
import type { Vocabularies } from "../finding.ts";
import { member } from "../json.ts";

/** The contract's four lists of values on which clients branch, each with its component. */
const vocabularies = {
  ChargeOutcome: { added: "charge_outcome_added", removed: "charge_outcome_removed" },
  ReasonCode: { added: "reason_code_added", removed: "reason_code_removed" },
  EventType: { added: "event_type_added", removed: "event_type_removed" },
  EntryType: { added: "entry_type_added", removed: "entry_type_removed" },
} as const satisfies Vocabularies;

/** The lists, where both documents are of this contract: another may have a list of that name, but hardly all four. */
export function vocabulariesOf(...documents: Document[]): Vocabularies | undefined {
  const isOurs = documents.every((document) =>
    Object.keys(vocabularies).every(
      (name) => member(document.valueAt("/components/schemas"), name) !== undefined,
    ),
  );
  return isOurs ? vocabularies : undefined;
}
