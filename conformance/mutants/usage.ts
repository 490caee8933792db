import type { Mutant } from "./mutant.ts";

export const usage: Mutant[] = [];
