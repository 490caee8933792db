import { found } from "../suite/found.ts";
import { fieldMutants } from "./field-mutants.ts";
import type { Mutant } from "./mutant.ts";

/** Every mutant: those of the areas, and those derived from the field tables. */
export const mutants = [...(await found<Mutant>("mutants")), ...fieldMutants];
