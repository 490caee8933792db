import type { Rule } from "../rule.ts";

export const exportsFields: Rule[] = [];
