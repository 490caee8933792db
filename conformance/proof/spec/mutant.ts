import type { OperationId } from "../../../generated/contract.ts";
import type { Change } from "../mutant.ts";

/** What kind of thing a mutant from the spec breaks. */
export type Family = "field" | "parameter" | "status" | "header" | "list" | "error";

/** The reference server with one thing broken that the spec says. */
export interface SpecMutant {
  /** Family, operation, what is broken, and how: the key of its disposition. */
  id: string;
  family: Family;
  operation: OperationId;
  /** How it is broken. */
  way: string;
  change: Change;
}
