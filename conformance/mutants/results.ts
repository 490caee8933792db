import type { Mutant } from "./mutant.ts";

export const results: Mutant[] = [];
