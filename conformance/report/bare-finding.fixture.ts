import type { Finding } from "../judge/finding.ts";
import type { Verdict } from "../judge/verdict.ts";

/** A finding without exchanges; by default about the clause that its id begins with, or else about CALL-07. */
export const bareFinding = (
  id: string,
  verdict: Verdict,
  clauses: readonly string[] = [/^[A-Z]{4}-\d+/.exec(id)?.[0] ?? "CALL-07"],
): Finding => ({
  id,
  clauses,
  level: "must",
  title: id,
  verdict,
  reason: verdict === "pass" ? null : "expected 0",
  expected: null,
  received: null,
  remedy: null,
  duration_ms: 1,
  exchanges: [],
  culprit: null,
});
