import type { Rule } from "../rule.ts";

export const usageFields: Rule[] = [];
