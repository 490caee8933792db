import type { Mutant } from "./mutant.ts";

export const inspect: Mutant[] = [];
