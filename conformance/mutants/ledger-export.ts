import type { Mutant } from "./mutant.ts";

export const ledgerExport: Mutant[] = [];
