import { found } from "../suite/found.ts";
import type { Mutant } from "../changes/mutant.ts";

/** Every mutant that is written by hand: those of the areas. */
export const mutants = await found<Mutant>("mutants");
