import {
  answers,
  operations,
  responseHeaders,
  type AnswerField,
  type Parameter,
} from "../../generated/contract.ts";
import { shown } from "./shown.ts";

/** What an expectation is about. */
export type FactKind =
  /** The status of an answer. */
  | "status"
  /** A header of an answer. */
  | "header"
  /** A member of an answer, which is missing or of another type. */
  | "member"
  /** A value of an answer, or one computed from several. */
  | "value"
  /** An amount of credits. */
  | "amount"
  /** Rows of a list that should be there. */
  | "row"
  /** How many requests are let through in a time. */
  | "count"
  /** The envelope or the error object as a whole. */
  | "envelope"
  /** A condition that has no other form than its words. */
  | "condition";

/** What would have been right. */
export type Expected =
  | { statuses: readonly number[] }
  | { value: unknown }
  | { not: unknown }
  | { values: readonly unknown[] }
  | { types: readonly string[]; bounds?: readonly string[] }
  | { credits: number }
  | { size: "empty" | "not empty" | number }
  /** What is to hold of the subject. */
  | { words: string }
  /** A whole condition, its subject included. */
  | { condition: string };

/** What came: a value, which is absent where there was none; an answer by its status; or a description. */
export type Received = { value?: unknown } | { status: number; text?: string } | { words: string };

/** One expectation that was not met, as data. */
export interface Fact {
  kind: FactKind;
  /** The path of the member in the answer, or the name of the header; null where neither is known. */
  place: string | null;
  /** The subject as its check names it; null where the place or the kind says it. */
  subject: string | null;
  /** The members, parameters and headers of the contract that it names. */
  names: readonly string[];
  expected: Expected;
  received: Received;
  /** What had been done before. */
  after?: string;
  /** What else a reader needs to know. */
  note?: string;
}

/** The name of every member, parameter and header of the contract, in lower case where it is a header's. */
const vocabulary: ReadonlySet<string> = new Set([
  ...Object.values(answers).flatMap((byStatus) =>
    Object.values(byStatus as Record<number, readonly AnswerField[]>).flatMap((fields) =>
      fields.flatMap(({ path }) => path.split(".").filter((step) => step !== "*")),
    ),
  ),
  ...Object.values(operations).flatMap(({ body, query }) =>
    Object.keys({ ...(body as Record<string, Parameter>), ...(query as Record<string, Parameter>) }),
  ),
  ...Object.values(responseHeaders).map((name) => name.toLowerCase()),
]);

/** Whether a word is a name of the contract, its plural, or begins with a compound one: `execution_ids`. */
const isName = (word: string): boolean =>
  vocabulary.has(word) ||
  vocabulary.has(word.toLowerCase()) ||
  (word.endsWith("s") && vocabulary.has(word.slice(0, -1))) ||
  [...word.matchAll(/_/g)].some(({ index }) => {
    const head = word.slice(0, index);
    return head.includes("_") && vocabulary.has(head);
  });

/** The names of the contract in a label, in their order. */
export const namesIn = (label: string): string[] => [
  ...new Set((label.match(/[A-Za-z]\w*(?:-\w+)*/g) ?? []).filter(isName)),
];

/** A condition that only words express. @param more what is known of it as data */
export const condition = (expected: string, received: unknown, more: Partial<Fact> = {}): Fact => ({
  kind: "condition",
  place: null,
  subject: null,
  names: namesIn(expected),
  expected: { condition: expected },
  received: typeof received === "string" ? { words: received } : { value: received },
  ...more,
});

/** What was expected, in words. */
export const expectedWords = (fact: Fact): string =>
  subjectWords(fact) + (fact.after === undefined ? "" : `, after ${fact.after}`);

function subjectWords({ kind, place, subject, expected }: Fact): string {
  const what = wantedWords(expected);
  if ("condition" in expected) return what;
  if (kind === "status") return subject === null ? `status ${what}` : `${subject}: ${what}`;
  return `${subject ?? (kind === "header" ? `header ${place}` : place)}: ${what}`;
}

/** What would have been right, in words, without its subject. */
export function wantedWords(expected: Expected): string {
  if ("statuses" in expected) return expected.statuses.join(" or ");
  if ("value" in expected) return shown(expected.value);
  if ("not" in expected) return `anything but ${shown(expected.not)}`;
  if ("values" in expected) return `one of ${expected.values.map(shown).join(", ")}`;
  if ("types" in expected) return [expected.types.join(" or "), ...(expected.bounds ?? [])].join(", ");
  if ("credits" in expected) return `${expected.credits} credits`;
  if ("size" in expected) return sizeWords(expected.size);
  return "words" in expected ? expected.words : expected.condition;
}

const sizeWords = (size: "empty" | "not empty" | number): string =>
  size === "empty" ? "to be empty" : size === "not empty" ? "not to be empty" : `${size} members`;

/** What was received, in words. */
export const receivedWords = ({ received, note }: Pick<Fact, "received" | "note">): string =>
  cameWords(received) + (note === undefined ? "" : ` (${note})`);

function cameWords(received: Received): string {
  if ("words" in received) return received.words;
  if ("status" in received)
    return received.text === undefined
      ? String(received.status)
      : `status ${received.status} with ${received.text}`;
  return isAbsent(received) ? "nothing" : shown(received.value);
}

/** Longer values of a fact are in its words alone, in characters of JSON. */
const maxValue = 2_000;

/** A fact as a report keeps it. */
export function shortened(fact: Fact): Fact {
  const isLong = (JSON.stringify(fact.received) ?? "").length > maxValue;
  return isLong ? { ...fact, received: { words: receivedWords({ received: fact.received }) } } : fact;
}

/** What a fact is about, without what differs from one operation, row or run to the next. */
export const topicOf = ({ kind, place, subject, expected }: Fact): string => {
  const words = subject ?? ("condition" in expected ? expected.condition : wantedWords(expected));
  return [kind, place?.replace(/\.\d+\b/g, ""), words.replace(varying, "…")].join(" ");
};
/** Ids of operations, quoted texts, numbers. */
const varying = new RegExp(
  `\\b(?:${Object.keys(operations).join("|")})\\b|"(?:[^"\\\\]|\\\\.)*"|\\d+(?:\\.\\d+)?`,
  "g",
);

/** Whether nothing is there: no value, null, or an empty list. */
export const isNothing = (received: Received): boolean =>
  "words" in received
    ? /^(?:nothing|none)$/.test(received.words)
    : !("status" in received) &&
      (received.value === undefined ||
        received.value === null ||
        (Array.isArray(received.value) && received.value.length === 0));

/** Whether a value is absent. */
export const isAbsent = (received: Received): boolean =>
  !("words" in received) && !("status" in received) && received.value === undefined;
