import { headerMutants, statusMutants } from "./answers.ts";
import { fieldMutants } from "./fields.ts";
import { listMutants } from "./lists.ts";
import type { SpecMutant } from "./mutant.ts";
import { parameterMutants } from "./parameters.ts";

/** Every mutant derived from the spec: since they are not selected, none can be forgotten. */
export const specMutants: readonly SpecMutant[] = [
  ...fieldMutants,
  ...parameterMutants,
  ...statusMutants,
  ...headerMutants,
  ...listMutants,
];
