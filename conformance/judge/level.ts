import { clauseOf } from "./clauses.ts";

/** `must` as soon as one of the clauses is one: what breaks it is a failure, not a warning. */
export const levelOf = (ids: readonly string[]): "must" | "should" =>
  ids.some((id) => clauseOf(id).level === "must") ? "must" : "should";
