import { JSONPathEnvironment, type JSONPathQuery, type JSONValue } from "json-p3";
import { kept } from "../../base/data.ts";

const environment = new JSONPathEnvironment({ maxRecursionDepth: 500 });

/** Parses a JSONPath expression (RFC 9535). @throws Error saying why it is invalid */
export const compile = (expression: string): JSONPathQuery => environment.compile(expression);

/** The most values that one expression may select. */
const maxSelected = 100_000;

/**
 * The total characters of JSON that the expressions of one answer may select; a value counts each time it is selected.
 */
export class Budget {
  #left: number;
  readonly #lengths = new WeakMap<object, number>();

  constructor(characters: number) {
    this.#left = characters;
  }

  get left(): number {
    return this.#left;
  }

  /**
   * The single value of an expression, null if there is none, or the list of all selected values.
   * @throws RangeError if the selection exceeds the remaining limit
   */
  select(query: JSONPathQuery, content: unknown): unknown {
    let left = this.#left;
    const taken: unknown[] = [];
    for (const { value } of query.lazyQuery(content as JSONValue)) {
      left -= this.#lengthOf(value);
      if (left < 0 || taken.push(value) > maxSelected)
        throw new RangeError("the expression selects too much");
    }
    this.#left = left;
    return query.singularQuery() ? (taken[0] ?? null) : taken;
  }

  #lengthOf(value: unknown): number {
    if (typeof value !== "object" || value === null) return JSON.stringify(value).length + 1;
    return kept(this.#lengths, value, () => JSON.stringify(value).length + 1);
  }
}
