import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{spec,reference-server,conformance,load,bench,kill,fuzz,cluster,scripts}/**/*.test.ts"],
    testTimeout: 30_000,
  },
});
