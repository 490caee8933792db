/** How the server fares at the end of a round. */
export const endings = [
  "goes on",
  "is killed within",
  "is killed after",
  "is stopped within",
  "is stopped after",
] as const;
export type Ending = (typeof endings)[number];

/** A fault beneath the server: of its files, database or disk. */
export interface Fault {
  name: string;
  begin(): Promise<unknown>;
  end(): Promise<unknown>;
  /** How long it lasts, in ms. */
  lasts: readonly [least: number, most: number];
  /** The endings in which the required state is known; all if there are none. */
  endings?: readonly Ending[];
  /** Whether no Call can succeed while it lasts, so that the server must not say that it is ready. */
  stopsAll: boolean;
}

/** What is beneath a server, and the faults that can be made of it on this machine. */
export interface Ground {
  faults: readonly Fault[];
  /** Why others cannot be made here. */
  missing: readonly string[];
}
