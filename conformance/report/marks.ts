import type { Verdict } from "../judge/verdict.ts";

/** How each verdict is displayed: its symbol, the word for one, and the words after a number. */
export const marks: Readonly<Record<Verdict, { sign: string; word: string; words: string }>> = {
  pass: { sign: "✓", word: "passed", words: "passed" },
  fail: { sign: "✗", word: "failed", words: "failed" },
  warn: { sign: "!", word: "warned", words: "warned" },
  unverified: { sign: "?", word: "unverified", words: "unverified" },
  blocked: { sign: "■", word: "blocked", words: "blocked" },
  known: { sign: "≈", word: "known failure", words: "known failures" },
  not_applicable: { sign: "–", word: "not applicable", words: "not applicable" },
  // The variation selector prevents display as an emoji.
  error: { sign: "⚠\ufe0e", word: "internal error", words: "internal errors" },
};
