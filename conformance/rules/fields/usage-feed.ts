import type { Rule } from "../rule.ts";

export const usageFeedFields: Rule[] = [];
