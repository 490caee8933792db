import { rm } from "node:fs/promises";
import { WrongUse } from "../../base/exit.ts";
import { givenText } from "../../base/read.ts";
import { written } from "../../base/write.ts";
import type { Chain } from "../books/chain.ts";
import type { Pairs } from "../books/pairs.ts";
import type { AnomalyState } from "./anomalies.ts";
import type { CourseState } from "./balance-course.ts";
import type { RecordedState } from "./recording.ts";
import type { Slice, Window } from "./slices.ts";

/** The progress of a run, as JSON: a later run continues from it. It holds no key. */
export interface State {
  contract_version: string;
  base_url: string;
  window: Window;
  /** The slices that are left, the oldest last. */
  open: Slice[];
  total: { events: number; entries: number };
  /** `openings`: the balances before the first entry, as far as entries show them. */
  done: { events: number; entries: number; slices: number; openings?: readonly number[] };
  pairs: Pairs["open"];
  chain: Chain["state"];
  course?: CourseState;
  usage: number[][];
  ledger: number[][];
  held: Held[];
  anomalies: AnomalyState;
  recorded: RecordedState | null;
}

/** What was held against the account's two lists, and how far. */
export interface Held {
  what: string;
  /** The rows of the lists that it was held against. */
  rows: number;
  /** Why it was not held against all of them; null where it was. */
  why: string | null;
}

/** How often the file is written while a run goes on. */
const everyMs = 2_000;

/** What is read of a state file. */
const mostBytes = 64 * 2 ** 20;

/** Reads a state file; undefined when there is none. @throws WrongUse when it is another server's, or damaged */
export async function readState(file: string, baseUrl: string): Promise<State | undefined> {
  const text = await givenText(file, mostBytes).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw new WrongUse(`${file} cannot be read: ${error.message}`);
  });
  if (text === undefined) return undefined;
  let state: State;
  try {
    state = JSON.parse(text) as State;
  } catch {
    throw new WrongUse(`${file} is not a state file of reconcile; remove it to begin anew`);
  }
  if (state.base_url !== baseUrl)
    throw new WrongUse(`${file} is the state of ${String(state.base_url)}; give another --state`);
  return state;
}

/** A run's state in its file: written now and then, and at its interruption. */
export class StateFile {
  readonly #file: string;
  #next = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** @param last nothing follows */
  async keep(state: () => State, last: boolean): Promise<void> {
    if (!last && performance.now() < this.#next) return;
    await written(this.#file, `${JSON.stringify(state())}\n`);
    this.#next = performance.now() + everyMs;
  }

  /** Removes the file of a run that has ended. */
  end(): Promise<void> {
    return rm(this.#file, { force: true });
  }
}
