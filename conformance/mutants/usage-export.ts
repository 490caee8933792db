import type { Mutant } from "./mutant.ts";

export const usageExport: Mutant[] = [];
