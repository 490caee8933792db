import type { Rule } from "../rule.ts";

export const ledgerFields: Rule[] = [];
