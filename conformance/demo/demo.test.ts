import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { withTemporaryFolder } from "../../base/temporary-folder.ts";
import { ranHere } from "../../cli/in-process.fixture.ts";
import { pictureOf } from "../../tools/docs/picture.ts";

let stdout: string;
let page: string;
beforeAll(() =>
  withTemporaryFolder(async (folder) => {
    const html = join(folder, "demo.html");
    const ended = await ranHere("demo", "--html", html);
    expect(ended.status).toBe(0);
    ({ stdout } = ended);
    page = readFileSync(html, "utf8");
  }),
);

test("the demo finds the three faults of its server and nothing else, and writes the page", () => {
  const clauses = [...stdout.matchAll(/^([A-Z]+-\d+) (?:must|should): /gm)].map(([, id]) => id);
  expect(clauses).toEqual(["CALL-03", "AUTH-04", "DISC-07"]);
  expect(page).toContain("CALL-03");
});

test("the source of the server marks its faults", () => {
  const source = readFileSync(new URL("server.ts", import.meta.url), "utf8");
  expect(source.match(/\/\/ FAULT \d/g)).toEqual(["// FAULT 1", "// FAULT 2", "// FAULT 3"]);
});

/** Columns of the picture. */
const maxColumns = 104;

/** The lines of a run that are the same in every run. */
const shown = /^(?:[A-Z]+-\d+ | {2}[✗!] (?! *\d)| {4}(?:expected|received) )/;

test("the picture of the README shows what the demo prints; npm test -- -u renews it", async () => {
  const lines = stdout
    .split("\n")
    .filter((line) => shown.test(line))
    .flatMap((line) => (/^[A-Z]/.test(line) ? ["", line] : [line]))
    .map((line) => line.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "…"))
    .map((line) => (line.length > maxColumns ? `${line.slice(0, maxColumns - 1)}…` : line));
  const picture = pictureOf(
    ["$ npx capability-contract demo", ...lines],
    "What npx capability-contract demo finds wrong with its small server",
  );
  await expect(picture).toMatchFileSnapshot(resolve(import.meta.dirname, "../../docs/demo.svg"));
});
