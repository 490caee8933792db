import type { Rule } from "../rule.ts";

export const resultsFields: Rule[] = [];
