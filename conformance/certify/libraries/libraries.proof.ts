import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { cellsOf, openMeasuring, paidTwice, type Measuring } from "./measure.ts";

let folder: string;
let measuring: Measuring;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "capability-contract-libraries-"));
  measuring = await openMeasuring(folder);
}, 300_000);
afterAll(async () => {
  await measuring.close();
  await rm(folder, { recursive: true, force: true });
});

it("each library that is installed here does what the table of docs/clients.md says, and certify finds that", async () => {
  const page = await readFile(new URL("../../../docs/clients.md", import.meta.url), "utf8");
  const rows = page.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
  let count = 0;
  for (const library of measuring.libraries) {
    const measured = await measuring.measure(library);
    if (measured === null) continue;
    const cells = cellsOf(measured);
    const row = rows.find((some) => some[1] === cells[0] && some[2] === cells[1]);
    expect(row?.slice(1, 1 + cells.length)).toEqual(cells);
    // Its client fails in the scenarios in which the library sends a paid Call again, and in no other.
    expect([library.name, measured.certified.fails.toSorted()]).toEqual([
      library.name,
      paidTwice(measured).toSorted(),
    ]);
    // A second request that did not wait as Retry-After says is a warning.
    expect(measured.certified.warns.filter((id) => id !== "limited@1" || measured.sent.s429 === 1)).toEqual(
      [],
    );
    count += 1;
  }
  console.log(`${count} libraries with their settings`);
  expect(count).toBeGreaterThanOrEqual(16);
}, 3_600_000);
