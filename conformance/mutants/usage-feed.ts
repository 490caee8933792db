import type { Mutant } from "./mutant.ts";

export const usageFeed: Mutant[] = [];
