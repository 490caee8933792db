import type { Rule } from "../rule.ts";

export const accountFields: Rule[] = [];
