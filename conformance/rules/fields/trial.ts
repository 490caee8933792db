import type { Rule } from "../rule.ts";

export const trialFields: Rule[] = [];
