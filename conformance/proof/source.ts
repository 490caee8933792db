import type { Fate, SourceName } from "./results.ts";

/** An altered server, by a name of its own. */
export interface Subject {
  id: string;
  /** What `--only` finds it by, besides several words of its id. */
  names: readonly string[];
}

/** What became of a subject. */
export interface Became {
  id: string;
  fate: Fate;
  /** Checks and rules that fail on it, and pass on the unaltered server. */
  killedBy?: readonly string[];
}

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
  /** What an earlier run found well, and this one does not. */
  lost: readonly string[];
}

/** One kind of altered servers: which there are, how they are judged, and what a result means. */
export interface Source<Result> {
  name: SourceName;
  subjects: readonly Subject[];
  /**
   * Judges subjects, by id.
   * @param onFailure called for a subject that could not be judged
   */
  prove: (
    ids: readonly string[],
    manner: Manner,
    onResult: (result: Result) => void,
    onFailure: (id: string, reason: string) => void,
  ) => Promise<void>;
  becameOf: (result: Result) => Became;
  /** Prints the problems and the figures. @returns whether something is wrong */
  report: (results: readonly Result[], scope: Scope) => boolean;
}
