import type { Check } from "../check.ts";

export const ledgerSummary: Check[] = [];
