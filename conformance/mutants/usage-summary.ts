import type { Mutant } from "./mutant.ts";

export const usageSummary: Mutant[] = [];
