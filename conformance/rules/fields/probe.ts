import type { Rule } from "../rule.ts";

export const probeFields: Rule[] = [];
