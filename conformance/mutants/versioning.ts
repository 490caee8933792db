import type { Mutant } from "./mutant.ts";

export const versioning: Mutant[] = [];
