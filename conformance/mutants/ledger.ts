import type { Mutant } from "./mutant.ts";

export const ledger: Mutant[] = [];
