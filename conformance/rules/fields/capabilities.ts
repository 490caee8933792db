import type { Rule } from "../rule.ts";

export const capabilitiesFields: Rule[] = [];
