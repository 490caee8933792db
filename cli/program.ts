import { version } from "../base/described.ts";
import { exitingWith, WrongUse } from "../base/exit.ts";
import { sectioned, type Verbs } from "../base/verb.ts";

const judging: Verbs = {
  demo: [
    "checks a small server with three faults, which it starts itself",
    () => import("../conformance/demo/main.ts"),
  ],
  conformance: [
    "checks a server against the contract, over HTTP",
    () => import("../conformance/run/main.ts"),
  ],
  init: ["examines a server, and writes a profile for it", () => import("../conformance/run/init/init.ts")],
  explain: [
    "explains a clause: its words, an example, its checks",
    () => import("../conformance/report/explain.ts"),
  ],
  compare: [
    "shows what changed between reports: two runs, two suites, or several servers",
    () => import("../conformance/report/compare-main.ts"),
  ],
  drift: [
    "shows what changed between two contracts, or between the contract and a server",
    () => import("../conformance/drift/main.ts"),
  ],
  load: ["load tests a server, and checks every response", () => import("../load/main.ts")],
};

const serving: Verbs = {
  start: [
    "runs the reference server, with the sample catalogue",
    () => import("../reference-server/main.ts"),
  ],
  admin: [
    "the operator's commands: accounts, grants, keys, tokens",
    () => import("../reference-server/operator/admin.ts"),
  ],
};

const witnessing: Verbs = {
  judge: [
    "checks recorded traffic (HAR): the server's half of the contract, or the client's",
    () => import("../conformance/traffic/judge.ts"),
  ],
  proxy: [
    "forwards traffic to a server, and checks it as it passes",
    () => import("../conformance/traffic/proxy-main.ts"),
  ],
  reconcile: [
    "compares an account's own records with each other, reading only",
    () => import("../conformance/reconcile/main.ts"),
  ],
  certify: [
    "certifies a client: lost responses, 429, unusual responses; checked against the server's books",
    () => import("../conformance/certify/main.ts"),
  ],
};

/** The program. */
export const capabilityContract = sectioned(
  { "Check a server:": judging, "Serve:": serving, "Traffic and clients:": witnessing },
  "The contract of capability discovery and execution: checks servers and clients against it, and serves it.\n" +
    "VERB --help lists the flags of a verb. In a clone, npm run VERB -- FLAGS does the same.\n" +
    "source <(capability-contract complete bash) completes verbs and flags; zsh, fish and powershell likewise.",
);

const name = "capability-contract";

/** Verbs of earlier versions that are tools of development now. */
const retired = ["mutants", "bench", "kill", "fuzz", "cluster"];

/** Runs the verb of a command line and sets the exit status. */
export const program = (argv: readonly string[]): Promise<void> => exitingWith(() => run(argv));

/** Runs the verb of a command line. @returns the exit status @throws what the verb throws */
export async function run(argv: readonly string[]): Promise<number> {
  const [verb = ""] = argv;
  if (verb === "complete") return (await import("./completion.ts")).completed(capabilityContract, name, argv);
  if (retired.includes(verb))
    throw new WrongUse(`${verb} is a tool of development now: npm run ${verb}, in a clone of the project.`);
  if (verb !== "--version") return capabilityContract.run(name, argv);
  console.log(version);
  return 0;
}
