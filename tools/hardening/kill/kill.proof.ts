import { randomInt } from "node:crypto";
import { expect, it, vi } from "vitest";
import { shared, whereShared } from "../cluster/three-servers.fixture.ts";
import { clusterKillRounds } from "./cluster-rounds.ts";
import { killRounds } from "./rounds.ts";

it.each(["sqlite3", "node"])(
  "keeps every promise of a server on %s that is killed at any moment",
  async (driver) => {
    vi.stubEnv("SQLITE_DRIVER", driver);
    const seed = randomInt(2 ** 32);
    console.info(`kill test, seed ${seed}: SQLITE_DRIVER=${driver} npm run kill -- --seed ${seed}`);
    const rounds = await killRounds({ rounds: 20, seed });
    expect(rounds.flatMap(({ broken }) => broken)).toEqual([]);
    expect(rounds.reduce((sum, { answered }) => sum + answered, 0)).toBeGreaterThan(0);
    expect(rounds.reduce((sum, { voided }) => sum + voided, 0)).toBeGreaterThan(0);
  },
);

it.skipIf(shared === null)(
  `keeps every promise of three servers when one or all are killed at any moment (${whereShared})`,
  async () => {
    const seed = randomInt(2 ** 32);
    console.info(`kill test, seed ${seed}: npm run kill -- --rounds 20 --seed ${seed} --database …`);
    const found = await clusterKillRounds({ rounds: 20, seed, shared: shared! });
    expect(found.flatMap(({ broken }) => broken)).toEqual([]);
    expect(found.flatMap(({ kills }) => kills)).toHaveLength(20);
    expect(found.every(({ answered }) => answered > 0)).toBe(true);
    expect(found.some(({ voided }) => voided > 0)).toBe(true);
  },
);
