import type { Mutant } from "./mutant.ts";

export const account: Mutant[] = [];
