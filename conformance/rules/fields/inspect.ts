import type { Rule } from "../rule.ts";

export const inspectFields: Rule[] = [];
