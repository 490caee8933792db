import { clauseOf, readingOf } from "./clauses.ts";

/**
 * `must` if any of the clauses is a `must`, so that a violation is a failure and not a warning. An answer that the
 * profile promises for a reading is a `must`.
 */
export const levelOf = (ids: readonly string[]): "must" | "should" =>
  ids.some((id) => readingOf(id) !== undefined || clauseOf(id).level === "must") ? "must" : "should";
