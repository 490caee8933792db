#!/usr/bin/env node
import { exitingWith } from "./conformance/main.ts";
import { WrongUse } from "./conformance/judge/verdict.ts";

/** What each verb of the binary is, and the program behind it. The npm scripts run the same programs. */
const verbs: Record<string, { does: string; run: (argv: string[]) => Promise<number> }> = {
  conformance: {
    does: "judges a server by the contract, over HTTP",
    run: async (argv) => (await import("./conformance/main.ts")).main(argv),
  },
  init: {
    does: "asks a server what can be found out, and writes a profile for it",
    run: async (argv) => (await import("./conformance/init/init.ts")).main(argv),
  },
  start: {
    does: "the reference server, with the sample catalogue",
    run: (argv) => started("start", argv, () => import("./reference-server/main.ts")),
  },
  admin: {
    does: "the operator's commands: accounts, grants, keys, tokens",
    run: (argv) => started("admin", argv, () => import("./reference-server/admin.ts")),
  },
  mutants: {
    does: "the kill matrix: proves the suite against broken servers",
    run: async (argv) => (await import("./conformance/proof/main.ts")).main(argv),
  },
  load: {
    does: "loads a server, and judges every answer: rate limits, throughput, billing, soak",
    run: async (argv) => (await import("./load/main.ts")).main(argv),
  },
  drift: {
    does: "what changed between two contracts, or between the contract and a server",
    run: async (argv) => (await import("./conformance/drift/main.ts")).main(argv),
  },
  judge: {
    does: "judges recorded traffic (HAR): the server's half of the contract, or the client's",
    run: async (argv) => (await import("./conformance/traffic/judge.ts")).main(argv),
  },
  proxy: {
    does: "passes traffic on to a server, and judges it as it passes",
    run: async (argv) => (await import("./conformance/traffic/proxy-main.ts")).main(argv),
  },
};

/** Runs a program that reads its flags from the process itself and sets the exit status. */
async function started(verb: string, argv: string[], program: () => Promise<unknown>): Promise<number> {
  process.argv = [process.argv[0]!, verb, ...argv];
  await program();
  return Number(process.exitCode ?? 0);
}

const usage = [
  "capability-contract VERB [flags]: the contract of capability discovery and execution, and who keeps it",
  "",
  ...Object.entries(verbs).map(([verb, { does }]) => `  ${verb.padEnd(12)} ${does}`),
  "",
  "capability-contract VERB --help tells the flags.",
].join("\n");

const [verb, ...argv] = process.argv.slice(2);
if (verb === undefined || verb === "--help" || verb === "-h" || verb === "help") {
  console.log(usage);
} else {
  await exitingWith(async () => {
    const chosen = Object.hasOwn(verbs, verb) ? verbs[verb]! : undefined;
    if (chosen === undefined) throw new WrongUse(`${verb} is no verb of this command.\n\n${usage}`);
    return chosen.run(argv);
  });
}
