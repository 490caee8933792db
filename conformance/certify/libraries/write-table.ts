import { readFile, writeFile } from "node:fs/promises";
import { withTemporaryFolder } from "../../../base/temporary-folder.ts";
import { openMeasuring, tableOf, type Measured } from "./measure.ts";

// Renews the table of docs/clients.md with the libraries of this machine.
const page = new URL("../../../docs/clients.md", import.meta.url);
const all: Measured[] = [];
await withTemporaryFolder(async (folder) => {
  const measuring = await openMeasuring(folder);
  for (const library of measuring.libraries) {
    const measured = await measuring.measure(library);
    console.log(
      `${library.name} ${measured === null ? "is not installed" : JSON.stringify([measured.sent, measured.certified])}`,
    );
    if (measured !== null) all.push(measured);
  }
  await measuring.close();
});
const day = new Date().toISOString().slice(0, 10);
const section = `<!-- libraries -->\n\nMeasured on ${day}.\n\n${tableOf(all)}\n\n<!-- end of libraries -->`;
const text = await readFile(page, "utf8");
await writeFile(
  page,
  text.replace(/<!-- libraries -->[^]*<!-- end of libraries -->/, () => section),
);
