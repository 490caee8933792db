import type { Mutant } from "./mutant.ts";

export const trial: Mutant[] = [];
