import type { Mutant } from "./mutant.ts";

export const probe: Mutant[] = [];
