import type { Judged } from "./kill.ts";
import type { Fate, SourceName } from "./store.ts";

/** One kind of altered servers: which there are, how they are judged, and what a result means. */
export interface Source<Result> {
  name: SourceName;
  subjects: readonly Subject[];
  /** Judges subjects, by id. @returns what could not be judged, and why */
  prove: (ids: readonly string[], manner: Manner, onResult: (result: Result) => void) => Promise<string[]>;
  becameOf: (result: Result) => Became;
  /** Further problems of a run; those of mutants are the same for every source. */
  remarksOf?: (results: readonly Result[], scope: Scope) => Remark[];
  /** How many came to which end, as lines; by default, how many mutants were killed or live for which kind of reason. */
  figuresOf?: (results: readonly Result[]) => string[];
  /**
   * The share of its mutants that a complete run must kill, of those that break the contract. Absent: each that lives
   * has a recorded reason.
   */
  minKilled?: number;
}

/** An altered server, by a name of its own. */
export interface Subject {
  id: string;
  /** What `--only` finds it by, besides several words of its id. */
  names: readonly string[];
}

/** What became of a subject; of a mutant, also by whom. */
export interface Became extends Partial<Judged> {
  id: string;
  fate: Fate;
}

/** What is wrong with a subject, and a text that begins with its id. */
export type Remark = readonly [mark: Mark, text: string];

/** In the order in which they are printed; what begins with ✗ makes the run fail. */
export const marks = [
  "✗ not judged",
  "✗ does not pass on the unaltered server",
  "✗ survived",
  "variation",
  "✗ false alarm",
  "impostor",
  "✗ praised",
  "✗ unrelated",
  "✗ passes blindly",
  "! reported elsewhere",
  "✗ kills nothing",
  "✗ was killed before",
] as const;
export type Mark = (typeof marks)[number];

/** How much each subject meets. */
export interface Manner {
  /** Everything that meets a mutant, and not only what comes before the first that fails. */
  whole?: boolean;
  /** Also on stages where the fault may not show. */
  barren?: boolean;
  /** The results are stored: each meets more than the check that is known to kill it. */
  publish?: boolean;
  /** By hand: judged by the address only. */
  alone?: boolean;
  /** By hand: with the checks that wait for a window. */
  slow?: boolean;
  /** By hand: a variation is judged in all ways. */
  everywhere?: boolean;
}

/** How a run was chosen, as far as its report depends on it. */
export interface Scope {
  /** Whether neither `--shard` nor `--sample` leaves anything out. */
  complete: boolean;
  /** Whether no `--only` does. */
  everything: boolean;
  /** What could not be judged, and why. */
  unfinished: readonly string[];
  /** The mutants that an earlier run killed, and this one does not. */
  lost: readonly string[];
}
