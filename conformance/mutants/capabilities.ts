import type { Mutant } from "./mutant.ts";

export const capabilities: Mutant[] = [];
