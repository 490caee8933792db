import { randomInt } from "node:crypto";
import { expect, it, vi } from "vitest";
import { shared, whereShared } from "../../cluster/three-servers.fixture.ts";
import type { Reckoning } from "../reckoning.ts";
import { fileRounds, serviceRounds } from "./ground.ts";

/** Each fault once, and twice where the seed has chosen an ending that shows little. */
const rounds = 24;

const expectKept = (all: readonly Reckoning[]): void => {
  expect(all.flatMap(({ broken }) => broken)).toEqual([]);
  expect(all.flatMap(({ kills }) => kills)).toHaveLength(rounds);
  expect(all.reduce((sum, { answered }) => sum + answered, 0)).toBeGreaterThan(0);
  expect(all.reduce((sum, { unanswered }) => sum + unanswered, 0)).toBeGreaterThan(0);
};

it.each(["sqlite3", "node"])(
  "loses nothing on %s whatever becomes of its files and their disk",
  async (driver) => {
    vi.stubEnv("SQLITE_DRIVER", driver);
    const seed = randomInt(2 ** 32);
    console.info(`SQLITE_DRIVER=${driver} npm run kill -- --ground --rounds ${rounds} --seed ${seed}`);
    expectKept(await fileRounds({ rounds, seed }, undefined, (why) => console.info(why)));
  },
);

it.skipIf(shared === null)(
  `loses nothing whatever becomes of Postgres and Redis (${whereShared})`,
  async () => {
    const seed = randomInt(2 ** 32);
    console.info(`npm run kill -- --ground --rounds ${rounds} --seed ${seed} --database …`);
    expectKept(await serviceRounds({ rounds, seed, shared: shared! }));
  },
);
