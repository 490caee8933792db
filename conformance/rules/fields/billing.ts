import type { Rule } from "../rule.ts";

export const billingFields: Rule[] = [];
