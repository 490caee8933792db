import { isAbsolute, join, relative } from "node:path";
import { baseUrl, oneOf, text, wait, yes } from "../../base/flag.ts";
import { group, verb, type Values } from "../../base/verb.ts";
import { jsonText } from "../../base/described.ts";
import { written } from "../../base/write.ts";
import { documentFile } from "../../base/pinned.ts";
import { paintFor } from "../../base/paint.ts";
import { WrongUse } from "../../base/exit.ts";
import { sinceBase } from "./filter.ts";
import { type Change, type DriftReport, type Settings, changeClasses, kinds } from "./change.ts";
import { grouped, sorted } from "./compare.ts";
import { compareContracts } from "./contract/compare-contracts.ts";
import { driftGenerated } from "./contract/releases.ts";
import { githubReport, junitReport, markdownReport, textReport } from "./reports.ts";
import { folderInRepository, readSource } from "./source.ts";

/** The exit status where nothing could be compared. */
const nothingJudged = 3;

/** The flags of every comparison. */
const flags = {
  failOn: oneOf("--fail-on <CLASS>", "the least that gives exit status 1", ["breaking", "risky", "never"]).or(
    "breaking",
  ),
  policy: text("--policy <FILE>", "other classes for some kinds, and what to ignore until when (YAML)"),
  all: yes("--all", "shows all changes on the terminal, safe ones too, and what is only written differently"),
  json: text("--json <FILE>", "the report as JSON; - is the standard output, in place of the text"),
  markdown: text("--markdown <FILE>", "the same as Markdown"),
  junit: text("--junit <FILE>", "the same as JUnit: a test for each change"),
  github: yes("--github", "annotations for GitHub in place of the text"),
};

/** What a document may lead to. */
const reach = {
  fetch: yes("--fetch", "fetches the addresses that a document refers to, and those to which they redirect"),
  root: text("--root <DIR>", "the folder whose files a document may refer to; its own unless given"),
};

/** Applies the policy to the changes, writes the reports, and returns the exit status. */
async function reported(
  find: (settings: Settings) => DriftReport | Promise<DriftReport>,
  { policy: file, failOn, all, ...to }: Values<typeof flags>,
): Promise<number> {
  const today = new Date().toISOString().slice(0, 10);
  const judge = file === undefined ? undefined : (await import("./policy.ts")).policyIn(file, today);
  const found = await find({ today, withText: all });
  const judged = judge === undefined ? found : judge(found);
  const report = { ...judged, changes: sorted(grouped(judged.changes)) };
  const reports: [file: string | undefined, content: () => string][] = [
    [to.json, () => jsonText("drift", report)],
    [to.markdown, () => markdownReport(report)],
    [to.junit, () => junitReport(report, (change) => isFailing(change, failOn))],
    [to.github ? "-" : undefined, () => githubReport(report, fromRoot())],
  ];
  const toOutput = reports.filter(([target]) => target === "-").length;
  if (toOutput > 1)
    throw new WrongUse("Only one report can go to the standard output; give the others a file");
  for (const [target, content] of reports) if (target !== undefined) await put(content(), target);
  if (toOutput === 0) console.log(textReport(report, paintFor(process.stdout), all));
  if (report.changes.some((change) => isFailing(change, failOn))) return 1;
  return report.judged.judged === 0 ? nothingJudged : 0;
}

const generated = verb({ flags, run: (values) => reported(driftGenerated, values) });

const spec = verb({
  flags: {
    pinned: text(
      "--pinned <DIR>",
      "what releases pinned, <version>.json; else released/ next to each document",
    ),
    traffic: text("--traffic <HAR>", "recorded traffic, a file or a folder: whom each change affects"),
    base: text(
      "--base <BASE>",
      "what the change goes into, such as origin/main:openapi.yaml: what it has cannot fail",
    ),
    path: text("--path <PATH>", "only operations of this path; * stands for anything"),
    tag: text("--tag <NAME>", "only operations with this tag"),
    operation: text("--operation <NAME>", 'only this operation: "GET /orders", or an operationId'),
    released: yes("--released", "OLD was released as it is: under its version nothing may change"),
    ...reach,
    ...flags,
  },
  takes: {
    old: "a file, - for the standard input, an address, or a git revision as main:openapi.yaml",
    new: "what is compared with it",
  },
  run: ({ old, new: next, base, pinned, traffic, released, path, tag, operation, fetch, root, ...flags }) =>
    reported(async (settings) => {
      const reaching = { fetch, root, beside: pinned };
      const [was, is] = [await readSource(old, reaching), await readSource(next, reaching)];
      const options = { pinned, released, settings, path, tag, operation };
      const report = await compareContracts(was, is, { ...options, traffic });
      return base === undefined
        ? report
        : sinceBase(report, await compareContracts(was, await readSource(base, reaching), options));
    }, flags),
});

const live = verb({
  flags: {
    baseUrl: baseUrl(),
    profile: text("--profile <FILE>", "the server's credentials and tools, as the suite reads it"),
    wait: wait(),
    ...flags,
  },
  about: "Sends some 150 requests, among them Calls of a cheap tool; without a profile, twice as many.",
  async run({ baseUrl: address, profile: file, wait: waitSeconds, ...flags }) {
    if (address === undefined && file === undefined) {
      throw new WrongUse("drift live needs --base-url URL, such as http://127.0.0.1:8080/api/v1");
    }
    // Only this verb needs the engine.
    const { defaultProfile, readProfile } = await import("../server/profile.ts");
    const { driftLive } = await import("./contract/live.ts");
    const profile = file === undefined ? defaultProfile(address!) : await readProfile(file, address);
    const ours = await readSource(relative("", documentFile()));
    return reported((settings) => driftLive(profile, ours, settings, waitSeconds), flags);
  },
});

const clauses = verb({
  flags: {
    markdown: text("--markdown <FILE>", "where the page goes; the standard output unless given"),
    ...reach,
  },
  takes: {
    old: "a released version, or what `drift spec` takes with a spec/clauses next to it",
    new: "what is compared with it",
  },
  async run({ old, new: next, markdown, ...reaching }) {
    const { clausesOf, clausesPage } = await import("./contract/clauses.ts");
    await put(
      clausesPage([old, await clausesOf(old, reaching)], [next, await clausesOf(next, reaching)]),
      markdown,
    );
  },
});

const listOfKinds = verb({
  flags: {},
  run() {
    const lines = Object.entries(kinds).map(
      ([kind, [changeClass, why]]) => `${changeClass.padEnd(9)}${kind.padEnd(34)}${why}\n`,
    );
    return put(lines.join(""));
  },
});

export default group(
  {
    generated: ["what of generated/ is not what spec/ gives", generated],
    spec: ["each change between two OpenAPI documents and their clauses: breaking, risky or safe", spec],
    live: ["a server's version and document against ours, and its answers against the contract", live],
    clauses: ["what a new version asks of an implementer: new, stricter, looser, void", clauses],
    kinds: ["every kind of change, its class, and why", listOfKinds],
  },
  "Shows what changed between two contracts, or between the contract and a server.",
);

async function put(content: string, file = "-"): Promise<void> {
  if (file === "-") process.stdout.write(content);
  else await written(file, content);
}

/** Whether a change has at least the class that fails, and is not ignored. */
export function isFailing(change: Change, failOn: string): boolean {
  const failing = changeClasses.slice(0, ["never", "breaking", "risky"].indexOf(failOn));
  return change.ignored === null && change.since !== "inherited" && failing.includes(change.class);
}

/** Gives a file's path from the repository's root, where GitHub looks for it. */
function fromRoot(): (file: string) => string {
  const folder = folderInRepository();
  return (file) => (isAbsolute(file) || file.includes(":") ? file : join(folder, file));
}
