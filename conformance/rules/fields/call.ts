import type { Rule } from "../rule.ts";

export const callFields: Rule[] = [];
