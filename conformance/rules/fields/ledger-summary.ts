import type { Rule } from "../rule.ts";

export const ledgerSummaryFields: Rule[] = [];
