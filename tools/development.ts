import "../base/threads.ts";
import "../base/node-version.ts";
import module from "node:module";
import { exitingWith } from "../base/exit.ts";
import { sectioned } from "../base/verb.ts";

// Compiled code is kept for the next run, as in cli/cli.ts.
module.enableCompileCache();

/** What proves the suite and hardens the server: npm scripts of a clone, no verbs of the program. */
const tools = sectioned({
  "Prove the suite:": {
    mutants: [
      "each broken server must be found, and no unusual one raise an alarm",
      () => import("../conformance/proof/main.ts"),
    ],
  },
  "Harden the server:": {
    bench: [
      "measures performance, each figure as a ratio of one run",
      () => import("./hardening/bench/main.ts"),
    ],
    kill: [
      "kills servers in the middle of their work, and compares what clients saw with the accounts",
      () => import("./hardening/kill/main.ts"),
    ],
    fuzz: [
      "sends hostile and costly input to every operation, and judges every answer",
      () => import("./hardening/fuzz/main.ts"),
    ],
    cluster: [
      "runs the suite against several servers that share a database",
      () => import("./hardening/cluster/main.ts"),
    ],
  },
});

await exitingWith(() => tools.run("npm run", process.argv.slice(2)));
