import { isDeepStrictEqual } from "node:util";
import { isObject } from "../../base/data.ts";
import type { Exchange } from "./exchange.ts";
import { Answer, Located } from "./answer.ts";
import { creditsOf, sameCredits } from "./credits.ts";
import { Unmet } from "./verdict.ts";

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
    this.#value = subject instanceof Located ? subject.value : subject;
    this.#name = name ?? (subject instanceof Located ? subject.path || "the body" : "the value");
    this.#exchange = subject instanceof Located || subject instanceof Answer ? subject.exchange : tally.last;
  }

  /** Deep equality of JSON values. */
  toBe(wanted: unknown): void {
    this.#require(isDeepStrictEqual(this.#value, wanted), shown(wanted));
  }

  not(unwanted: unknown): void {
    this.#require(!isDeepStrictEqual(this.#value, unwanted), `anything but ${shown(unwanted)}`);
  }

  /** Equal as an amount of credits. */
  toBeCredits(wanted: number): void {
    const amount = creditsOf(this.#value);
    this.#require(amount !== undefined && sameCredits(amount, wanted), `${wanted} credits`);
  }

  toBeOneOf(wanted: readonly unknown[]): void {
    this.#require(
      wanted.some((one) => isDeepStrictEqual(this.#value, one)),
      `one of ${wanted.map(shown).join(", ")}`,
    );
  }

  /** A value of one of the JSON kinds. */
  toBeA(...kinds: Kind[]): void {
    this.#require(
      kinds.some((kind) => isA(this.#value, kind)),
      kinds.join(" or "),
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
    this.#require(sizeOf(this.#value) === 0, "to be empty");
  }

  /** A non-empty string, list or object. */
  toHoldSomething(): void {
    this.#require((sizeOf(this.#value) ?? 0) > 0, "not to be empty");
  }

  toHaveLength(length: number): void {
    this.#require(sizeOf(this.#value) === length, `${length} members`);
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
      `status ${statuses.join(" or ")}`,
      `status ${answer.status} with ${excerpt(answer.text)}`,
      answer.exchange,
    );
  }

  /** An answer with the error object: status `failure` and a message. */
  toBeAnErrorObject(): void {
    const answer = this.#answer();
    const failed = answer.at("status").value === "failure" && typeof answer.at("message").value === "string";
    if (!failed) {
      throw new Unmet(
        'the error object: status "failure" and a message',
        excerpt(answer.text),
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
    throw new Unmet(
      'the envelope of an invalid query: status "failure", status_code -7, data null',
      excerpt(answer.text),
      answer.exchange,
    );
  }

  /**
   * The answer for a resource that does not exist or belongs to another account: neither success nor another kind of
   * failure.
   */
  toHaveFoundNothing(): void {
    const answer = this.#answer();
    const refused = [400, 403, 404, 410, 422].includes(answer.status);
    if (refused || (answer.status === 200 && answer.at("status").value === "failure")) return;
    throw new Unmet(
      "no success: 404 or another 4xx, or a failed envelope",
      `status ${answer.status} with ${excerpt(answer.text)}`,
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
    throw new Unmet("an error_message that says what failed", shown(message), answer.exchange);
  }

  #callSays(success: boolean): void {
    const answer = this.#answer();
    if (answer.at("success").value === success) return;
    throw new Unmet(`a Call response with success ${success}`, excerpt(answer.text), answer.exchange);
  }

  #answer(): Answer {
    if (this.#subject instanceof Answer) return this.#subject;
    throw new TypeError("this expectation is on an answer");
  }

  #require(met: boolean, wanted: string): void {
    if (met) return;
    const received = this.#value === undefined ? "nothing" : shown(this.#value);
    throw new Unmet(`${this.#name}: ${wanted}`, received, this.#exchange);
  }
}

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

/** Depth to which a failure shows a value. */
const levelsShown = 50;

/** A value as a failure shows it: JSON, truncated in length and depth. */
export function shown(value: unknown): string {
  return excerpt(JSON.stringify(cut(value, levelsShown)) ?? "nothing");
}

/** The value with an ellipsis in place of anything below the depth. */
function cut(value: unknown, levels: number): unknown {
  if (!isA(value, "object") && !isA(value, "array")) return value;
  if (levels === 0) return "…";
  if (Array.isArray(value)) return value.map((member: unknown) => cut(member, levels - 1));
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(
    Object.entries(value as object).map(([name, member]) => [name, cut(member, levels - 1)]),
  );
}

function excerpt(text: string): string {
  if (text === "") return "an empty body";
  return text.length > 300 ? `${text.slice(0, 300)}… (${text.length} characters)` : text;
}

function sizeOf(value: unknown): number | undefined {
  if (typeof value === "string" || Array.isArray(value)) return value.length;
  if (typeof value === "object" && value !== null) return Object.keys(value).length;
  return undefined;
}
