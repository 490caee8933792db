import { member } from "./json.ts";
import type { Schema } from "./schema.ts";

/** The contract's four lists of values on which clients branch, each with its component. */
const vocabularies = {
  ChargeOutcome: { added: "charge_outcome_added", removed: "charge_outcome_removed" },
  ReasonCode: { added: "reason_code_added", removed: "reason_code_removed" },
  EventType: { added: "event_type_added", removed: "event_type_removed" },
  EntryType: { added: "entry_type_added", removed: "entry_type_removed" },
} as const;

type Vocabulary = (typeof vocabularies)[keyof typeof vocabularies];

/** The kinds of change for a list when two schemas are the same one of the four lists; undefined for any other. */
export function vocabularyOf(old: Schema, now: Schema): Vocabulary | undefined {
  const [was, is] = [old, now].map(
    (schema) => /^\/components\/schemas\/([^/]+)\/enum$/.exec(schema.at("enum"))?.[1],
  );
  const isOne = was !== undefined && was === is && Object.hasOwn(vocabularies, was);
  if (!isOne) return undefined;
  // An unrelated document may have a list of the same name, but hardly all four.
  const isOurs = [old, now].every((schema) =>
    Object.keys(vocabularies).every(
      (name) => member(schema.document.valueAt("/components/schemas"), name) !== undefined,
    ),
  );
  return isOurs ? vocabularies[was as keyof typeof vocabularies] : undefined;
}
