import type { Parts, Providers } from "../../../reference-server/parts.ts";
import type { Connection } from "../../../reference-server/storage/connection.ts";
import { batchColumns, insertBatch } from "../../../reference-server/storage/effects.ts";
import type { Seeded } from "../../../base/seeded.ts";

/** The named moments of a Call at which a process can be killed. */
export const points = [
  "before the hold's commit",
  "after the hold's commit",
  "during the execution",
  "before the settlement's commit",
  "after the settlement's commit, before the answer",
] as const;
export type Point = (typeof points)[number];

/** Where the process dies: at the `count`th pass of a point. */
export interface Trap {
  point: Point;
  count: number;
}

/** The largest number of passes of a point before the one that kills. */
const maxPassings = 12;

/** Picks a point and a count by the seed; null for a kill at a random moment. */
export const chosenTrap = (choices: Seeded): Trap | null =>
  choices.below(points.length + 1) === 0
    ? null
    : { point: choices.pick(points), count: 1 + choices.below(maxPassings) };

/** Ends this process as a power failure would, with no cleanup. */
const die = (): void => void process.kill(process.pid, "SIGKILL");

/** Kills this process at the chosen point and pass, or does something else there. */
export class Traps {
  #armed: (Trap & { spring: () => void | Promise<void> }) | null = null;

  /** @param spring what happens there; the step goes on after it */
  arm(trap: Trap, spring: () => void | Promise<void> = die): void {
    this.#armed = { ...trap, spring };
  }

  async pass(point: Point): Promise<void> {
    const armed = this.#armed;
    if (armed?.point !== point) return;
    armed.count -= 1;
    if (armed.count > 0) return;
    this.#armed = null;
    await armed.spring();
  }
}

/** The writer's connection, with points around its commits; the rows written show which transaction it is. */
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
      // One statement writes everything: on SQLite with a list of rows for each column, on Postgres with parts.
      const brings = (column: string, part: string): boolean =>
        sql === insertBatch ? bindings?.[batchColumns.indexOf(column)] !== "[]" : sql.includes(part);
      holds ||= brings("holds", "INSERT INTO holds");
      settles ||= brings("closed", "DELETE FROM holds");
      return connection.all(sql, bindings);
    },
    async commit() {
      if (holds) await traps.pass("before the hold's commit");
      if (settles) await traps.pass("before the settlement's commit");
      await connection.commit();
      if (holds) await traps.pass("after the hold's commit");
      if (settles) await traps.pass("after the settlement's commit, before the answer");
    },
  };
}

/** The provider client, with a point between request and answer. */
export const trappedProviders = (providers: Providers, traps: Traps): Parts["providers"] => ({
  execute(tool, parameters) {
    const answer = providers.execute(tool, parameters);
    setImmediate(() => void traps.pass("during the execution"));
    return answer;
  },
});
