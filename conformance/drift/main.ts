#!/usr/bin/env node
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { exitingWith } from "../main.ts";
import { paintFor } from "../report/terminal.ts";
import { defaultProfile, readProfile } from "../subject/profile.ts";
import { WrongUse } from "../judge/verdict.ts";
import type { DriftReport } from "./change.ts";
import { compareContracts, sorted } from "./compare.ts";
import { driftGenerated } from "./generated.ts";
import type { Settings } from "./findings.ts";
import { kinds } from "./kinds.ts";
import { driftLive } from "./live.ts";
import { judgedByPolicy, readPolicy } from "./policy.ts";
import { githubReport } from "./report-github.ts";
import { markdownReport } from "./report-markdown.ts";
import { sarifReport } from "./report-sarif.ts";
import { textReport } from "./report-text.ts";
import { readSource } from "./source.ts";

export const usage = `Tells what changed between two contracts, or between the contract and a server.

  npm run drift -- generated              what of generated/ is not what spec/ gives
  npm run drift -- spec OLD NEW           each change between two OpenAPI documents and their clauses: breaking,
                                          risky or safe; a file, or a git revision as main:generated/openapi.json
  npm run drift -- live --base-url URL    a server's version and published document against ours, and what its
                                          answers hold that the contract does not; sends some 40 requests, among
                                          them Calls of cheap tools
  npm run drift -- kinds                  every kind of change, its class, and why

  --fail-on CLASS    breaking (default), risky, or never: the least that gives exit status 1
  --policy FILE      other classes for some kinds, and what to ignore until when (YAML)
  --all              shows safe changes on the terminal too
  --json FILE  --markdown FILE  --sarif FILE
                     where the reports go; - is the standard output, in place of the text
  --github           writes annotations for GitHub in place of the text

  of spec:
  --old-clauses DIR  --new-clauses DIR   the clauses, where they are not in spec/clauses of each document's project
  --pinned DIR       the documents that releases pinned, <version>.json; released/ beside each document unless told
  --released         OLD was released as it stands: under its version nothing may change

  of live:
  --profile FILE     credentials and tools of the server, as the conformance suite reads it
  --spec FILE        the document to hold it against, in place of ours

Exit status: 0 nothing that --fail-on names, 1 something, 2 wrong use, 3 the server could not be reached, 4 an error of
this program's own.
`;

const options = {
  "base-url": { type: "string" },
  profile: { type: "string" },
  spec: { type: "string" },
  policy: { type: "string" },
  "fail-on": { type: "string", default: "breaking" },
  "old-clauses": { type: "string" },
  "new-clauses": { type: "string" },
  pinned: { type: "string" },
  released: { type: "boolean", default: false },
  traffic: { type: "string" },
  "version-header": { type: "string" },
  json: { type: "string" },
  markdown: { type: "string" },
  sarif: { type: "string" },
  github: { type: "boolean", default: false },
  all: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

/** The flags that only one command has. */
const own = {
  spec: ["old-clauses", "new-clauses", "pinned", "released", "traffic"],
  live: ["base-url", "profile", "spec"],
} as const;

type Flags = ReturnType<typeof parseFlags>["values"];

function parseFlags(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options, strict: true, allowPositionals: true });
  } catch (error) {
    throw new WrongUse(`${(error as Error).message}\n\n${usage}`, { cause: error });
  }
}

/**
 * The command.
 * @param now epoch milliseconds, by which ignore entries expire
 * @returns the exit status
 * @throws WrongUse, Unreachable
 */
export async function main(argv: readonly string[], now: number = Date.now()): Promise<number> {
  const { values: flags, positionals } = parseFlags(argv);
  const [command, ...names] = positionals;
  if (flags.help) {
    console.log(usage);
    return 0;
  }
  if (command === "kinds") {
    for (const [kind, [changeClass, why]] of Object.entries(kinds)) {
      console.log(`${changeClass.padEnd(9)}${kind.padEnd(34)}${why}`);
    }
    return 0;
  }
  if (!["breaking", "risky", "never"].includes(flags["fail-on"])) {
    throw new WrongUse(`--fail-on is breaking, risky or never, not ${flags["fail-on"]}`);
  }
  for (const [of, names] of Object.entries(own)) {
    for (const name of names) {
      if (of !== command && flags[name] !== undefined && flags[name] !== false) {
        throw new WrongUse(`--${name} belongs to drift ${of}`);
      }
    }
  }
  const policy = flags.policy === undefined ? undefined : readPolicy(flags.policy, now);
  const settings = {
    today: new Date(now).toISOString().slice(0, 10),
    versionHeader: flags["version-header"],
    withText: flags.all,
  };
  const found = await reportOf(command, names, flags, settings);
  const judged = policy === undefined ? found : judgedByPolicy(found, policy);
  const report = { ...judged, changes: sorted(judged.changes) };
  write(report, flags);
  return exitStatusOf(report, flags["fail-on"]);
}

async function reportOf(
  command: string | undefined,
  names: string[],
  flags: Flags,
  settings: Settings,
): Promise<DriftReport> {
  const [old, next, ...more] = names;
  if (command === "spec") {
    if (old === undefined || next === undefined || more.length > 0) {
      throw new WrongUse(
        `drift spec takes two documents, the old and the new, as in: drift spec main:generated/openapi.json generated/openapi.json`,
      );
    }
    return compareContracts(await readSource(old), await readSource(next), {
      oldClauses: flags["old-clauses"],
      newClauses: flags["new-clauses"],
      pinned: flags.pinned,
      released: flags.released,
      settings,
    });
  }
  if (command !== "generated" && command !== "live") {
    throw new WrongUse(
      `${command === undefined ? "What to compare is missing" : `${command} is no command of drift`}.\n\n${usage}`,
    );
  }
  if (names.length > 0) throw new WrongUse(`drift ${command} takes no ${names[0]!}`);
  if (command === "generated") return driftGenerated();
  const address = flags["base-url"];
  if (address === undefined && flags.profile === undefined) {
    throw new WrongUse("drift live needs --base-url URL, such as http://127.0.0.1:8080/api/v1");
  }
  if (address !== undefined && !(URL.canParse(address) && /^https?:\/\/[^/]/.test(address))) {
    throw new WrongUse(
      `--base-url ${address} is no http or https address, such as http://127.0.0.1:8080/api/v1`,
    );
  }
  const profile =
    flags.profile === undefined ? defaultProfile(address!) : await readProfile(flags.profile, address);
  const ours = relative("", fileURLToPath(new URL("../../generated/openapi.json", import.meta.url)));
  return driftLive(profile, await readSource(flags.spec ?? ours), settings);
}

function write(report: DriftReport, flags: Flags): void {
  const files: [string | undefined, () => string][] = [
    [flags.json, () => `${JSON.stringify(report, null, 2)}\n`],
    [flags.markdown, () => markdownReport(report)],
    [flags.sarif, () => sarifReport(report)],
  ];
  const toOutput = files.filter(([file]) => file === "-");
  if (toOutput.length + Number(flags.github) > 1) {
    throw new WrongUse("Only one report can go to the standard output; give the others a file");
  }
  for (const [file, content] of files) {
    if (file === undefined || file === "-") continue;
    try {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content());
    } catch (error) {
      throw new WrongUse(`${file} cannot be written: ${(error as Error).message}`, { cause: error });
    }
  }
  if (toOutput[0]) process.stdout.write(toOutput[0][1]());
  else if (flags.github) process.stdout.write(githubReport(report));
  else console.log(textReport(report, paintFor(process.stdout), flags.all));
}

/** 1 when a change that is not ignored is of the class that fails, or worse. */
export function exitStatusOf(report: DriftReport, failOn: string): number {
  const failing = failOn === "never" ? [] : failOn === "risky" ? ["breaking", "risky"] : ["breaking"];
  return report.changes.some((change) => change.ignored === null && failing.includes(change.class)) ? 1 : 0;
}

if (import.meta.main) await exitingWith(() => main(process.argv.slice(2)));
