import { version } from "./described.ts";
import { exitingWith } from "./exit.ts";
import { group, type Verb, type Verbs } from "./verb.ts";

const published: Verbs = {
  conformance: ["judges a server by the contract, over HTTP", () => import("../conformance/run/main.ts")],
  explain: [
    "explains a clause: its words, an example, what judges it",
    () => import("../conformance/report/explain.ts"),
  ],
  init: [
    "finds out what it can about a server, and writes a profile for it",
    () => import("../conformance/run/init/init.ts"),
  ],
  start: [
    "runs the reference server, with the sample catalogue",
    () => import("../reference-server/main.ts"),
  ],
  admin: [
    "the operator's commands: accounts, grants, keys, tokens",
    () => import("../reference-server/operator/admin.ts"),
  ],
  mutants: [
    "proves the suite: each broken server must be found, and no unusual one raise an alarm",
    () => import("../conformance/proof/main.ts"),
  ],
  compare: [
    "shows what changed between reports: two runs, two suites, or several servers side by side",
    () => import("../conformance/report/compare-main.ts"),
  ],
  load: ["loads a server, and judges every answer", () => import("../load/main.ts")],
  drift: [
    "shows what changed between two contracts, or between the contract and a server",
    () => import("../conformance/drift/main.ts"),
  ],
  judge: [
    "judges recorded traffic (HAR): the server's half of the contract, or the client's",
    () => import("../conformance/traffic/judge.ts"),
  ],
  proxy: [
    "passes traffic on to a server, and judges it as it passes",
    () => import("../conformance/traffic/proxy-main.ts"),
  ],
  reconcile: [
    "holds an account's own records against each other, reading only",
    () => import("../conformance/reconcile/main.ts"),
  ],
  certify: [
    "puts a client on trial: lost answers, 429, unusual answers; judged by the server's books",
    () => import("../conformance/certify/main.ts"),
  ],
};

/** A verb that the published package leaves out: the build must not follow its import. */
const ofCheckout = (file: string) => (): Promise<{ default: Verb }> =>
  import(new URL(file, import.meta.url).href);

const development: Verbs = {
  bench: [
    "measures performance, each figure as a ratio of one run",
    ofCheckout("../reference-server/hardening/bench/main.ts"),
  ],
  kill: [
    "kills servers in the middle of their work, and compares what clients saw with the accounts",
    ofCheckout("../reference-server/hardening/kill/main.ts"),
  ],
  fuzz: [
    "sends hostile and costly input to every operation, and judges every answer",
    ofCheckout("../reference-server/hardening/fuzz/main.ts"),
  ],
  cluster: [
    "runs the suite against several servers that share a database",
    ofCheckout("../reference-server/hardening/cluster/main.ts"),
  ],
  "mutants:recorded": [
    "proves the rules: what a mutant does wrong must be found in a recording of it",
    ofCheckout("../conformance/proof/recorded-main.ts"),
  ],
};

const isCheckout = import.meta.filename.endsWith(".ts");

/** The program. */
export const capabilityContract = group(
  isCheckout ? { ...published, ...development } : published,
  "The contract of capability discovery and execution: judges servers and clients by it, and serves it.\n" +
    "VERB --help lists the flags of a verb. In a clone, npm run VERB -- FLAGS does the same.\n" +
    "source <(capability-contract complete bash) completes verbs and flags; zsh, fish and powershell likewise.",
);

const name = "capability-contract";

/** Runs the verb of a command line and sets the exit status. */
export const program = (argv: readonly string[]): Promise<void> =>
  exitingWith(async () => {
    if (argv[0] === "complete")
      return (await import("./completion.ts")).completed(capabilityContract, name, argv);
    if (argv[0] !== "--version") return capabilityContract.run(name, argv);
    console.log(version);
    return 0;
  });
