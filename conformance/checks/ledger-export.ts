import type { Check } from "../check.ts";

export const ledgerExport: Check[] = [];
