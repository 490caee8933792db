import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withTemporaryFolder } from "../../base/temporary-folder.ts";
import { ranHere } from "../../cli/in-process.fixture.ts";

test("the demo finds the three faults of its server and nothing else, and writes the page", () =>
  withTemporaryFolder(async (folder) => {
    const html = join(folder, "demo.html");
    const { status, stdout } = await ranHere("demo", "--html", html);
    expect(status).toBe(0);
    const clauses = [...stdout.matchAll(/^([A-Z]+-\d+) (?:must|should): /gm)].map(([, id]) => id);
    expect(clauses).toEqual(["CALL-03", "AUTH-04", "DISC-07"]);
    expect(readFileSync(html, "utf8")).toContain("CALL-03");
  }));

/** The faults are where the source says so, for readers who look there after a run. */
test("the source of the server marks its faults", () => {
  const source = readFileSync(new URL("server.ts", import.meta.url), "utf8");
  expect(source.match(/\/\/ FAULT \d/g)).toEqual(["// FAULT 1", "// FAULT 2", "// FAULT 3"]);
});
