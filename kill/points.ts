import type { Parts, Providers } from "../reference-server/parts.ts";
import type { Connection } from "../reference-server/storage/connection.ts";
import type { Seeded } from "./seeded.ts";

/** The moments of a Call at which a process can be killed by name. */
export const points = [
  "before the hold's commit",
  "after the hold's commit",
  "during the execution",
  "before the settlement's commit",
  "after the settlement's commit, before the answer",
] as const;
export type Point = (typeof points)[number];

/** Where the process is to die: at a point, the `count`th time that it comes by. */
export interface Trap {
  point: Point;
  count: number;
}

/** Passings of a named point before the one at which a process dies, at most. */
const mostPassings = 12;

/** A point and a count by the seed; null for a kill at a random moment. */
export const chosenTrap = (choices: Seeded): Trap | null =>
  choices.below(points.length + 1) === 0
    ? null
    : { point: choices.pick(points), count: 1 + choices.below(mostPassings) };

/** Ends this process as a power switch would: nothing of it runs any more. */
const die = (): void => void process.kill(process.pid, "SIGKILL");

/** Kills this process where it was told to; until then nothing happens. */
export class Traps {
  #armed: Trap | null = null;

  arm(trap: Trap): void {
    this.#armed = { ...trap };
  }

  pass(point: Point): void {
    if (this.#armed?.point !== point) return;
    this.#armed.count -= 1;
    if (this.#armed.count <= 0) die();
  }
}

/** The writer's connection, with the points around its commits: what a transaction wrote tells which it was. */
export function trapped(connection: Connection, traps: Traps): Connection {
  let holds = false;
  let settles = false;
  return {
    ...connection,
    begin() {
      holds = settles = false;
      return connection.begin();
    },
    all(sql, bindings) {
      // On Postgres one statement writes everything.
      holds ||= sql.includes("INSERT INTO holds");
      settles ||= sql.includes("DELETE FROM holds");
      return connection.all(sql, bindings);
    },
    async commit() {
      if (holds) traps.pass("before the hold's commit");
      if (settles) traps.pass("before the settlement's commit");
      await connection.commit();
      if (holds) traps.pass("after the hold's commit");
      if (settles) traps.pass("after the settlement's commit, before the answer");
    },
  };
}

/** The provider client, with the point between its request and its answer. */
export const trappedProviders = (providers: Providers, traps: Traps): Parts["providers"] => ({
  execute(tool, parameters) {
    const answer = providers.execute(tool, parameters);
    setImmediate(() => traps.pass("during the execution"));
    return answer;
  },
});
