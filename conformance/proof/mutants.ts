import { found } from "../suite/found.ts";
import { fieldMutants } from "./field-mutants.ts";
import type { Mutant } from "../changes/mutant.ts";

/** Every mutant: those of the areas, and those derived from the field tables. */
export const mutants = [...(await found<Mutant>("mutants")), ...fieldMutants];
