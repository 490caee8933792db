import type { Mutant } from "./mutant.ts";

export const limits: Mutant[] = [];
