import type { OperationId } from "../../../generated/contract.ts";
import type { Change } from "../../changes/mutant.ts";

/** The kind of thing that a mutant of the spec breaks. */
export type Family = "field" | "parameter" | "status" | "header" | "list" | "error";

/** The reference server with one fact of the spec broken. */
export interface SpecMutant {
  /** Family, operation, part and way: the key of its disposition. */
  id: string;
  family: Family;
  operation: OperationId;
  /** How it is broken. */
  way: string;
  /** The clauses that promise what it breaks, where the spec names them. */
  clauses?: readonly string[];
  change: Change;
}
