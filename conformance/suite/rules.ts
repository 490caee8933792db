import { fieldRules, keepsFields } from "../judge/fields.ts";
import { speakingOf, type Rule } from "../judge/rule.ts";
import type { Seen } from "../judge/seen.ts";
import { found } from "./found.ts";

const areaRules = await found<Rule>("rules");

/** Every rule of the suite: those of the areas, and those for single fields, derived from the spec. */
export const rules: readonly Rule[] = [...areaRules, ...fieldRules];

/** The rules that can apply to an operation's answers with one status. */
export const speakingTo = speakingOf(rules);
const areasSpeakingTo = speakingOf(areaRules);

/** The rules that an answer may break, without those of its fields if it keeps them all. */
export const mayBreak = (seen: Seen): readonly Rule[] =>
  (keepsFields(seen) ? areasSpeakingTo : speakingTo)(seen.operation, seen.status);
