import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

const folders = "{spec,cli,reference-server,conformance,load,bench,kill,fuzz,cluster,scripts}";

export default defineConfig({
  test: {
    // Only what hangs takes so long, however busy the machine is.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    // One more than there are cores: a file often waits for a process, a database or a deadline.
    maxWorkers: availableParallelism() + 1,
    projects: [
      { extends: true, test: { name: "tests", include: [`${folders}/**/*.test.ts`] } },
      // What takes large samples, kills processes or installs packages: one at a time, with the machine to itself.
      {
        extends: true,
        test: {
          name: "proofs",
          include: [`${folders}/**/*.proof.ts`],
          testTimeout: 900_000,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
