import { defineConfig } from "vitest/config";

export default defineConfig({
  // The suite is read as a package is: by Node, without a transformation.
  test: { include: ["conformance/run/vitest.fixture.ts"], experimental: { viteModuleRunner: false } },
});
