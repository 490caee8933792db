import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig, type TestProjectConfiguration } from "vitest/config";
import Sequence from "./sequence.ts";

const folders = "{spec,base,cli,reference-server,conformance,load,tools}";

/** The tests that read or write the database. */
const storing = [
  "reference-server/{storage/{writer,upgrade,books},accounts/{accounts,claim},audit/{usage-audit,ledger}}.test.ts",
];

/** The accounts of a model, which read and write it too; by Node's SQLite: account-walk.proof.ts. */
const walking = "reference-server/account-walk.test.ts";

const databaseUrl = process.env["TEST_DATABASE_URL"];

const projects: TestProjectConfiguration[] = [
  // Files of a worker share its modules: importing them costs more than most files. A test leaves nothing behind.
  { extends: true, test: { name: "tests", include: [`${folders}/**/*.test.ts`], isolate: false } },
  {
    extends: true,
    test: {
      name: "Node's SQLite",
      include: [...storing, "reference-server/{storage/sqlite-files,attacks/{disk-full,damage}}.test.ts"],
      isolate: false,
      env: { SQLITE_DRIVER: "node" },
    },
  },
  // Tests that take large samples, kill processes or install packages: one at a time, with the machine to themselves.
  {
    extends: true,
    test: {
      name: "proofs",
      include: [`${folders}/**/*.proof.ts`],
      testTimeout: 900_000,
      fileParallelism: false,
      sequence: { groupOrder: 2 },
    },
  },
];

if (databaseUrl !== undefined) {
  const env = { TESTED_DATABASE_URL: databaseUrl };
  projects.push({
    extends: true,
    test: {
      name: "Postgres",
      include: [...storing, walking],
      isolate: false,
      env,
      sequence: { groupOrder: 1 },
    },
  });
}

export default defineConfig({
  test: {
    // Only a test that hangs takes so long, however busy the machine is.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    restoreMocks: true,
    unstubEnvs: true,
    // More than the number of cores: a file often waits for a process, a database or a deadline.
    maxWorkers: availableParallelism() + 4,
    sequence: { sequencer: Sequence },
    // Compiled modules are kept where the program keeps them: neither workers nor the processes of tests compile them again.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), "node-compile-cache") },
    // Node reads the sources itself, as it does everywhere else: nothing is transformed, and compiled code is kept.
    experimental: { viteModuleRunner: false },
    projects,
  },
});
