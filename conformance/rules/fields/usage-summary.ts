import type { Rule } from "../rule.ts";

export const usageSummaryFields: Rule[] = [];
