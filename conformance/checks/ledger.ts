import type { Check } from "../check.ts";

export const ledger: Check[] = [];
