import { invalidQueryCode } from "../../generated/contract.ts";
import { failure } from "../http/operation.ts";

/**
 * A query that the contract refuses with 400 and status_code -7 (Errors, "400 conditions for audit and ledger
 * queries"). The message names the parameter and the accepted forms.
 */
export class InvalidQuery extends Error {
  readonly parameter: string;

  constructor(parameter: string, message: string) {
    super(message);
    this.parameter = parameter;
  }
}

const list = new Intl.ListFormat("en-GB", { type: "disjunction" });

/** `a, b or c`. */
export const choices = (words: readonly string[]): string => list.format(words);

/** Reads a query with `read`; turns InvalidQuery into the contract's 400 answer. Other errors pass through. */
export async function answerQuery<Answer>(read: () => Promise<Answer>) {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof InvalidQuery)) throw error;
    return { status: 400 as const, body: failure(invalidQueryCode, error.message) };
  }
}
