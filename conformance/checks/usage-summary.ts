import type { Check } from "../check.ts";

export const usageSummary: Check[] = [];
