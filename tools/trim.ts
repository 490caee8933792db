import { globSync, rmSync } from "node:fs";
import path from "node:path";

/** Unused files that `npm ci` leaves: the headers of Node's package, and the object files of sqlite3. */
const leftovers = ["node/node_modules/*/include", "sqlite3/build/Release/{obj,obj.target,*.a}"];

const cwd = path.resolve(import.meta.dirname, "../node_modules");
for (const leftover of globSync(leftovers, { cwd })) {
  rmSync(path.join(cwd, leftover), { recursive: true, force: true });
}
