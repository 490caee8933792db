import type { Mutant } from "./mutant.ts";

export const call: Mutant[] = [];
