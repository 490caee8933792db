import type { Mutant } from "./mutant.ts";

export const billing: Mutant[] = [];
