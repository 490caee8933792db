import { beforeAll } from "vitest";
import { conformanceTests } from "./vitest.ts";

/** A test file as an implementer would write it. The test that runs it supplies the addresses. */
let address = "";
beforeAll(() => {
  address = process.env["FIXTURE_BASE_URL"]!;
});

conformanceTests(() => address, {
  only: process.env["FIXTURE_ONLY"]!.split(","),
  strict: process.env["FIXTURE_STRICT"] === "yes",
  fast: true,
});
