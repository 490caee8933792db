#!/usr/bin/env node
import "../base/threads.ts";
import module from "node:module";

await import("../base/node-version.ts").catch((error: Error) => {
  console.error(error.message);
  process.exit(2);
});
// Compiled code is kept for the next run, which halves the time of a start; this must be on before any import.
module.enableCompileCache();
const { program } = await import("./program.ts");
await program(process.argv.slice(2));
