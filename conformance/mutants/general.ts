import type { Mutant } from "./mutant.ts";

export const general: Mutant[] = [];
