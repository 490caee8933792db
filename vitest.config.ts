import { defineConfig } from "vitest/config";

/** Tests that start servers of their own and load, kill or race them: each has the machine to itself, at the end. */
const heavy = [
  "kill/**/*.test.ts",
  "load/**/*.test.ts",
  "cluster/**/*.test.ts",
  "fuzz/**/*.test.ts",
  "scripts/package.test.ts",
];
const include = ["{spec,cli,reference-server,conformance,load,bench,kill,fuzz,cluster,scripts}/**/*.test.ts"];

export default defineConfig({
  test: {
    testTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: { name: "all", include, exclude: heavy, sequence: { groupOrder: 0 } },
      },
      {
        extends: true,
        test: { name: "alone", include: heavy, fileParallelism: false, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
