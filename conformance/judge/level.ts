import { clauseOf, readingOf } from "./clauses.ts";

/**
 * `must` as soon as one of the clauses is one: what breaks it is a failure, not a warning. An answer to a reading that
 * the profile promises is a `must`.
 */
export const levelOf = (ids: readonly string[]): "must" | "should" =>
  ids.some((id) => readingOf(id) !== undefined || clauseOf(id).level === "must") ? "must" : "should";
