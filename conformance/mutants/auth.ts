import type { Mutant } from "./mutant.ts";

export const auth: Mutant[] = [];
