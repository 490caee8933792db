import type { Verdict } from "../judge/verdict.ts";

/** How each verdict is shown: the sign that stands for it, the word for one, and the words behind a number. */
export const marks: Readonly<Record<Verdict, { sign: string; word: string; words: string }>> = {
  pass: { sign: "✓", word: "passed", words: "passed" },
  fail: { sign: "✗", word: "failed", words: "failed" },
  warn: { sign: "!", word: "warned", words: "warned" },
  unverified: { sign: "?", word: "unverified", words: "unverified" },
  blocked: { sign: "■", word: "blocked", words: "blocked" },
  not_applicable: { sign: "–", word: "not applicable", words: "not applicable" },
  // The variation selector keeps it a sign where it would become an emoji.
  error: { sign: "⚠\ufe0e", word: "error of the suite", words: "errors of the suite" },
};
