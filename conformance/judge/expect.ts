import { isDeepStrictEqual } from "node:util";
import { isObject } from "../../base/data.ts";
import type { Exchange } from "./exchange.ts";
import { Answer, Located } from "./answer.ts";
import { creditsOf, sameCredits, withoutNoise } from "./credits.ts";
import { condition, namesIn, type Expected, type Fact, type FactKind, type Received } from "./fact.ts";
import { excerpt } from "./shown.ts";
import { Unmet } from "./verdict.ts";

export { shown } from "./shown.ts";

export type Kind = "string" | "number" | "integer" | "boolean" | "object" | "array" | "null";

/** Counts the expectations of one check: a check without any is a fault of the suite. */
export interface Tally {
  expectations: number;
  /** The newest exchange of the check, shown when an expectation on a bare value fails. */
  last: Exchange | undefined;
}

export type Expect = (subject: unknown, name?: string) => Expectation;

/** The `expect` function of one check. */
export const expectFor =
  (tally: Tally): Expect =>
  (subject, name) =>
    new Expectation(subject, name, tally);

/** One expectation on an answer, on a located value, or on a named bare value. */
export class Expectation {
  readonly #subject: unknown;
  readonly #value: unknown;
  readonly #name: string;
  readonly #exchange: Exchange | undefined;

  constructor(subject: unknown, name: string | undefined, tally: Tally) {
    tally.expectations += 1;
    this.#subject = subject;
    this.#value = valueOf(subject);
    this.#name = name ?? (subject instanceof Located ? subject.path || "the body" : "the value");
    this.#exchange = subject instanceof Located || subject instanceof Answer ? subject.exchange : tally.last;
  }

  /** Deep equality of JSON values. */
  toBe(wanted: unknown): void {
    // JSON has no member for what is undefined.
    this.#require(
      isDeepStrictEqual(this.#value, wanted),
      wanted === undefined ? "nothing" : { value: wanted },
    );
  }

  /** The same JSON value, whose numbers may differ by the noise of floating point. */
  toBeAlike(wanted: unknown): void {
    this.#require(isDeepStrictEqual(withoutNoise(this.#value), withoutNoise(wanted)), { value: wanted });
  }

  not(unwanted: unknown): void {
    this.#require(!isDeepStrictEqual(this.#value, unwanted), { not: unwanted });
  }

  /** Equal as an amount of credits. */
  toBeCredits(wanted: number): void {
    const amount = creditsOf(this.#value);
    this.#require(amount !== undefined && sameCredits(amount, wanted), { credits: wanted });
  }

  toBeOneOf(wanted: readonly unknown[]): void {
    this.#require(
      wanted.some((value) => isDeepStrictEqual(this.#value, value)),
      { values: wanted },
    );
  }

  /** A value of one of the JSON kinds. */
  toBeA(...kinds: Kind[]): void {
    this.#require(
      kinds.some((kind) => isA(this.#value, kind)),
      { types: kinds },
    );
  }

  /** A number from `least` to `most`, inclusive. */
  toBeBetween(least: number, most: number): void {
    const within = typeof this.#value === "number" && this.#value >= least && this.#value <= most;
    this.#require(within, least === most ? String(least) : `a number from ${least} to ${most}`);
  }

  toBeAtLeast(least: number): void {
    this.#require(typeof this.#value === "number" && this.#value >= least, `at least ${least}`);
  }

  toBeAtMost(most: number): void {
    this.#require(typeof this.#value === "number" && this.#value <= most, `at most ${most}`);
  }

  /** Present and not null. */
  toBePresent(): void {
    this.#require(this.#value !== undefined && this.#value !== null, "to be present");
  }

  /** Absent. Null counts as present. */
  toBeAbsent(): void {
    this.#require(this.#value === undefined, "to be absent");
  }

  /** An empty string, list or object. */
  toBeEmpty(): void {
    this.#require(sizeOf(this.#value) === 0, { size: "empty" });
  }

  /** A non-empty string, list or object. */
  toHoldSomething(): void {
    this.#require((sizeOf(this.#value) ?? 0) > 0, { size: "not empty" });
  }

  toHaveLength(length: number): void {
    this.#require(sizeOf(this.#value) === length, { size: length });
  }

  /** A string that matches the pattern; `meaning` says in words what the pattern means. */
  toMatch(pattern: RegExp, meaning = String(pattern)): void {
    this.#require(typeof this.#value === "string" && pattern.test(this.#value), meaning);
  }

  /** Any other condition; `meaning` completes "expected NAME …". */
  toSatisfy(meaning: string, predicate: (value: unknown) => boolean): void {
    this.#require(predicate(this.#value), meaning);
  }

  /** An answer with this status or one of these. */
  toHaveStatus(...statuses: number[]): void {
    const answer = this.#answer();
    if (statuses.includes(answer.status)) return;
    throw new Unmet(
      statusFact(null, statuses, { status: answer.status, text: excerpt(answer.text) }),
      answer.exchange,
    );
  }

  /** The status of an answer, under a name that says which. */
  toBeStatus(...statuses: number[]): void {
    if (statuses.some((status) => status === this.#value)) return;
    throw new Unmet(statusFact(this.#name, statuses, { status: Number(this.#value) }), this.#exchange);
  }

  /** An answer with the error object: status `failure` and a message. */
  toBeAnErrorObject(): void {
    const answer = this.#answer();
    const failed = answer.at("status").value === "failure" && typeof answer.at("message").value === "string";
    if (!failed) {
      throw new Unmet(
        condition('the error object: status "failure" and a message', excerpt(answer.text), {
          kind: "envelope",
        }),
        answer.exchange,
      );
    }
  }

  /** The refusal of an audit or ledger query: 400, and an envelope with `failure`, -7 and no data. */
  toBeAnInvalidQuery(): void {
    this.toHaveStatus(400);
    const answer = this.#answer();
    const envelope = answer.at("status").value === "failure" && answer.at("status_code").value === -7;
    if (envelope && !answer.at("data").present) return;
    const wanted = 'the envelope of an invalid query: status "failure", status_code -7, data null';
    throw new Unmet(condition(wanted, excerpt(answer.text), { kind: "envelope" }), answer.exchange);
  }

  /**
   * The answer for a resource that does not exist or belongs to another account: neither success nor another kind of
   * failure.
   */
  toHaveFoundNothing(): void {
    const answer = this.#answer();
    const refused = [400, 403, 404, 410, 422].includes(answer.status);
    if (refused || (answer.status === 200 && answer.at("status").value === "failure")) return;
    const received = { status: answer.status, text: excerpt(answer.text) };
    throw new Unmet(
      condition("no success: 404 or another 4xx, or a failed envelope", "", { received }),
      answer.exchange,
    );
  }

  /** A Call that answered 200 and succeeded. */
  toHaveSucceeded(): void {
    this.toHaveStatus(200);
    this.#callSays(true);
  }

  /** A Call whose body has `success` false and names the error. */
  toHaveFailed(): void {
    this.#callSays(false);
    const answer = this.#answer();
    const message = answer.at("error_message").value;
    if (typeof message === "string" && message.trim() !== "") return;
    throw new Unmet(
      condition("an error_message that says what failed", "", { received: { value: message } }),
      answer.exchange,
    );
  }

  #callSays(success: boolean): void {
    const answer = this.#answer();
    if (answer.at("success").value === success) return;
    throw new Unmet(
      condition(`a Call response with success ${success}`, excerpt(answer.text)),
      answer.exchange,
    );
  }

  #answer(): Answer {
    if (this.#subject instanceof Answer) return this.#subject;
    throw new TypeError("this expectation is on an answer");
  }

  #require(met: boolean, wanted: string | Expected): void {
    if (met) return;
    const expected: Expected = typeof wanted === "string" ? { words: wanted } : wanted;
    const received: Received = { value: this.#value };
    const located = this.#subject instanceof Located ? this.#subject : undefined;
    const names = namesIn(this.#name);
    const [first] = names;
    const header = first?.includes("-") && this.#name.startsWith(first) ? first : undefined;
    // A label that is itself a name of the contract is a place.
    const place = located?.name ?? header ?? (first === this.#name ? first : null);
    const fact: Fact = {
      kind: header === undefined ? kindOf(expected, this.#value, located) : "header",
      place,
      subject: place === this.#name || located?.path === this.#name ? null : this.#name,
      names,
      expected,
      received,
    };
    throw new Unmet(fact, this.#exchange);
  }
}

/** A value without its places, also within a list. */
const valueOf = (subject: unknown): unknown =>
  Array.isArray(subject) ? subject.map(valueOf) : subject instanceof Located ? subject.value : subject;

/** What an expectation is about, by what it wants of what. */
function kindOf(expected: Expected, value: unknown, located: Located | undefined): FactKind {
  if (located?.isHeader) return "header";
  if ("credits" in expected) return "amount";
  if ("types" in expected || (located !== undefined && value === undefined)) return "member";
  if ("size" in expected && expected.size !== "empty" && sizeOf(value) === 0) return "row";
  return "value";
}

const statusFact = (subject: string | null, statuses: readonly number[], received: Received): Fact => ({
  kind: "status",
  place: null,
  subject,
  names: [],
  expected: { statuses },
  received,
});

/** Whether a JSON value is of a kind; an integer is also a number, and `1.0` is an integer. */
export function isA(value: unknown, kind: Kind): boolean {
  switch (kind) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    case "object":
      return isObject(value);
    default:
      return typeof value === kind;
  }
}

function sizeOf(value: unknown): number | undefined {
  if (typeof value === "string" || Array.isArray(value)) return value.length;
  if (typeof value === "object" && value !== null) return Object.keys(value).length;
  return undefined;
}
