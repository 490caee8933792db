import type { Check } from "../check.ts";

export const usageExport: Check[] = [];
