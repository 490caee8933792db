import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { cellsOf, measured, openTroubles, prepared } from "./measure.ts";

let folder: string;
let troubles: Awaited<ReturnType<typeof openTroubles>>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "capability-contract-libraries-"));
  troubles = await openTroubles();
});
afterAll(async () => {
  await troubles.close();
  await rm(folder, { recursive: true, force: true });
});

it("each library that is installed here does what the table of docs/clients.md says", async () => {
  const page = await readFile(new URL("../../../docs/clients.md", import.meta.url), "utf8");
  const rows = page.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
  let count = 0;
  for (const library of await prepared(folder)) {
    const one = await measured(library, troubles, folder);
    if (one === null) continue;
    const cells = cellsOf(one);
    const row = rows.find((some) => some[1] === cells[0] && some[2] === cells[1]);
    expect(row?.slice(1, 1 + cells.length)).toEqual(cells);
    count += 1;
  }
  console.log(`${count} libraries with their settings`);
  expect(count).toBeGreaterThanOrEqual(16);
}, 900_000);
