import { readFile, writeFile } from "node:fs/promises";
import { withTemporaryFolder } from "../../../base/temporary-folder.ts";
import { measured, openTroubles, prepared, tableOf, type Measured } from "./measure.ts";

// Renews the table of docs/clients.md with the libraries of this machine.
const page = new URL("../../../docs/clients.md", import.meta.url);
const troubles = await openTroubles();
const all: Measured[] = [];
await withTemporaryFolder(async (folder) => {
  for (const library of await prepared(folder)) {
    const one = await measured(library, troubles, folder);
    console.log(
      one === null ? `${library.name} is not installed` : `${library.name} ${JSON.stringify(one.sent)}`,
    );
    if (one !== null) all.push(one);
  }
});
await troubles.close();
const day = new Date().toISOString().slice(0, 10);
const section = `<!-- libraries -->\n\nMeasured on ${day}.\n\n${tableOf(all)}\n\n<!-- end of libraries -->`;
const text = await readFile(page, "utf8");
await writeFile(
  page,
  text.replace(/<!-- libraries -->[^]*<!-- end of libraries -->/, () => section),
);
