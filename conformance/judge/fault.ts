import type { ClauseId } from "../../generated/clauses.ts";
import type { ReadingId } from "../../generated/readings.ts";
import type { Fact } from "./fact.ts";

/** Something wrong with a server that several exchanges show: which clauses it breaks, and how, as data. */
export interface Fault {
  /** Its kind, the same in every run, such as `charge-without-entry`. */
  name: string;
  clauses: readonly (ClauseId | ReadingId)[];
  title: string;
  fact: Fact;
}
