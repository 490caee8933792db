import type { Mutant } from "./mutant.ts";

export const ledgerSummary: Mutant[] = [];
