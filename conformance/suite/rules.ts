import { fieldRules } from "../judge/fields.ts";
import { speakingOf, type Rule } from "../judge/rule.ts";
import { found } from "./found.ts";

/** Every rule of the suite: those of the areas, and those for single fields, derived from the spec. */
export const rules: readonly Rule[] = [...(await found<Rule>("rules")), ...fieldRules];

/** The rules that can apply to an operation's answers with one status. */
export const speakingTo = speakingOf(rules);
