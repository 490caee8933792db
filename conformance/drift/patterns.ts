import { createRequire } from "node:module";
import type * as Regexpp from "@eslint-community/regexpp";
import type * as Refa from "refa";
import { kept } from "../../base/data.ts";

// Loaded with the first pattern that has changed: most comparisons have none, and it takes 25 MB.
const load = createRequire(import.meta.url);
const refa = (): typeof Refa => load("refa") as typeof Refa;
const regexpp = (): typeof Regexpp => load("@eslint-community/regexpp") as typeof Regexpp;

/** States of an automaton, beyond which a pattern is not decided. */
const maxStates = 2000;

/** Pairs of states, beyond which two patterns are not decided. */
const maxPairs = 100_000;

const known = new Map<string, Refa.DFA | null>();

/** Whether every text that matches one pattern matches the other; false also where that cannot be decided. */
export function isPatternWithin(given: string, asked: string): boolean {
  const [texts, admitted] = [textsOf(given), textsOf(asked)];
  if (texts === null || admitted === null) return false;
  const others = admitted.copy();
  others.complement();
  try {
    return refa().isDisjointWith(texts, others, maxPairs);
  } catch {
    return false;
  }
}

/** The texts in which a pattern is found; null for one with assertions or references inside, or a large one. */
function textsOf(pattern: string): Refa.DFA | null {
  const { DFA, JS, NFA } = refa();
  return kept(known, pattern, () => {
    try {
      const parser = JS.Parser.fromLiteral({ source: wholeOf(pattern), flags: "u" });
      const { expression, maxCharacter } = parser.parse({ assertions: "throw", backreferences: "throw" });
      const limited = new NFA.LimitedNodeFactory(maxStates);
      const texts = NFA.fromRegex(expression, { maxCharacter }, {}, limited);
      return DFA.fromFA(texts, new DFA.LimitedNodeFactory(maxStates));
    } catch {
      return null;
    }
  });
}

/** The same as a pattern of the whole text: what has no anchor may have anything beside it. */
function wholeOf(pattern: string): string {
  const { alternatives } = new (regexpp().RegExpParser)().parsePattern(pattern, 0, pattern.length, {
    unicode: true,
  });
  return alternatives
    .map(({ elements, raw }) => {
      const isAnchor = (element: (typeof elements)[0] | undefined, kind: "start" | "end"): boolean =>
        element?.type === "Assertion" && element.kind === kind;
      const [begins, ends] = [isAnchor(elements.at(0), "start"), isAnchor(elements.at(-1), "end")];
      return `${begins ? "" : "[^]*"}(?:${raw.slice(Number(begins), ends ? -1 : undefined)})${ends ? "" : "[^]*"}`;
    })
    .join("|");
}
