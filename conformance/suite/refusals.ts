import type { ClauseId } from "../../generated/clauses.ts";
import type { OperationId } from "../../generated/contract.ts";
import { check, type Check, type Options } from "../run/check.ts";
import type { Query } from "../books/listed.ts";

/** Queries of a read that are answered with 200, and invalid ones that are refused. */
interface Bounds {
  valid: readonly Query[];
  invalid: readonly Query[];
  /** How: with 400 and the envelope of an invalid query, or with 400 or 422. */
  with: "400 and -7" | "400 or 422";
}

/** The check that a read refuses invalid queries, and answers valid ones of the same kind. */
export const refuses = (
  clauses: ClauseId | readonly ClauseId[],
  title: string,
  operation: OperationId,
  { valid, invalid, with: how }: Bounds,
  options: Options = {},
): Check =>
  check(clauses, title, options, async ({ account, expect }) => {
    for (const query of valid) expect(await account.ask(operation, { query })).toHaveStatus(200);
    for (const query of invalid) {
      const answer = await account.ask(operation, { query });
      if (how === "400 and -7") expect(answer).toBeAnInvalidQuery();
      else expect(answer).toHaveStatus(400, 422);
    }
  });

/** The two dates of a window. */
export const dates = ["start_date", "end_date"] as const;
