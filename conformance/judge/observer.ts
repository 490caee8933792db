import { kept } from "../../base/data.ts";
import type { OperationId } from "../../generated/contract.ts";
import { readings, type AnswerOf, type Reading, type ReadingId } from "../../generated/readings.ts";
import { readingOf } from "./clauses.ts";
import { NotRecorded } from "./missing.ts";
import type { Rule } from "./rule.ts";
import { isFields, memberOf, type Seen } from "./seen.ts";

/** Observes which answer a server gives to a question that the contract leaves open. Pure, like a rule. */
export interface Observer {
  reading: ReadingId;
  /** The operations whose exchanges it observes. */
  operations: readonly (OperationId | null)[];
  /** The answer that an exchange shows; null when it shows none. */
  answer: (seen: Seen) => string | null;
}

/** How a server was seen to answer an open question. */
export interface Choice {
  reading: ReadingId;
  title: string;
  question: string;
  /** Each observed answer, with its meaning and the number of exchanges that showed it. */
  answers: { answer: string; meaning: string; exchanges: number }[];
  /** The answer that the profile promises. */
  pinned: string | null;
}

/** The answers that a profile promises, by reading. */
export type Pins = Readonly<Partial<Record<ReadingId, string>>>;

/** Declares an observer of a reading. */
export function observe<Id extends ReadingId>(
  reading: Id,
  operations: OperationId | null | readonly (OperationId | null)[],
  answer: (seen: Seen) => (AnswerOf<Id> & string) | null,
): Observer {
  return { reading, operations: [operations].flat() as Observer["operations"], answer };
}

/** The data of a successful envelope; undefined for any other answer. */
export const dataOf = ({ status, body }: Seen): unknown =>
  status === 200 && memberOf(body, "status") === "success" ? memberOf(body, "data") : undefined;

/** The rows of a list in an envelope; empty for any other answer. */
export function rowsOf(seen: Seen): Record<string, unknown>[] {
  const items = memberOf(dataOf(seen), "items");
  return Array.isArray(items) ? items.filter(isFields) : [];
}

/** The profile's name for the credential of a request, such as `expired_jwt`; undefined for any other credential. */
export const credentialOf = ({ exchange: { request } }: Seen): string | undefined =>
  /^Bearer «(\w+)/.exec(request.headers["authorization"] ?? "")?.[1];

/** Whether a value is an object with all of these members. */
export const has = (value: unknown, ...names: readonly string[]): boolean =>
  isFields(value) && names.every((name) => Object.hasOwn(value, name));

/**
 * A profile's promises as rules: an exchange that shows another answer breaks them.
 * @param observers every observer of the suite
 */
export const pinnedRules = (pins: Pins, observers: readonly Observer[]): Rule[] =>
  observers.flatMap(({ reading, operations, answer }) => {
    const pin = pins[reading];
    if (pin === undefined) return [];
    const { question, answers } = readingOf(reading)!;
    return {
      id: `${reading}/pinned`,
      clauses: [reading],
      title: `${question} The profile promises: ${answers[pin]}`,
      judge: (seen) => {
        const given = operations.includes(seen.operation) ? answer(seen) : null;
        if (given === null || given === pin) return given === null ? null : true;
        return { expected: answers[pin]!, received: answers[given]! };
      },
    };
  });

/** Observes exchanges one by one, in constant memory. */
export class Observing {
  readonly #byOperation: ReadonlyMap<OperationId | null, readonly Observer[]>;
  readonly #counts = new Map<ReadingId, Map<string, number>>();

  constructor(observers: readonly Observer[]) {
    const operations = new Set(observers.flatMap((observer) => observer.operations));
    this.#byOperation = new Map(
      [...operations].map((operation) => [
        operation,
        observers.filter((observer) => observer.operations.includes(operation)),
      ]),
    );
  }

  /** Records what an exchange shows. */
  look(seen: Seen): void {
    for (const { reading, answer } of this.#byOperation.get(seen.operation) ?? []) {
      const given = recordedAnswer(answer, seen);
      if (given === null) continue;
      const counts = kept(this.#counts, reading, () => new Map<string, number>());
      counts.set(given, (counts.get(given) ?? 0) + 1);
    }
  }

  /** The server's choices that were observed, in the order of the readings. */
  choices(pins: Pins = {}): Choice[] {
    return readings.flatMap(({ id, title, question, answers }: Reading) => {
      const counts = this.#counts.get(id as ReadingId);
      if (counts === undefined) return [];
      const ranked = [...counts].sort(([, one], [, other]) => other - one);
      return {
        reading: id as ReadingId,
        title,
        question,
        answers: ranked.map(([answer, exchanges]) => ({ answer, meaning: answers[answer]!, exchanges })),
        pinned: pins[id as ReadingId] ?? null,
      };
    });
  }
}

/** The answer that an exchange shows; null also where this needs more than was recorded. */
function recordedAnswer(answer: Observer["answer"], seen: Seen): string | null {
  try {
    return answer(seen);
  } catch (error) {
    if (error instanceof NotRecorded) return null;
    throw error;
  }
}
