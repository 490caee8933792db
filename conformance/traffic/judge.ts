#!/usr/bin/env node
import { parseArgs } from "node:util";
import { exitingWith } from "../main.ts";
import { paintFor, terminalReport } from "../report/terminal.ts";
import { WrongUse } from "../verdict.ts";
import { baseUrlOf, readHar } from "./har.ts";
import { TrafficJudge } from "./traffic-judge.ts";
import { statusOf, writeReports } from "./write-reports.ts";

const usage = `Judges recorded traffic by the contract, without a server.

  npm run judge -- FILE.har              the server's half of the contract
  npm run judge -- FILE.har --client     the client's half

  --base-url URL     the server that is meant, ending in /api/v1; found out from the recording unless given
  --complete         the recording holds all that its clients did, from their start to their end: then also what they
                     left undone is judged
  --strict           warnings count as failures
  --json FILE  --html FILE   where the reports go

FILE is what browsers and proxies save as HAR, plain or gzip. Hosts other than the server's are left alone, secrets are
masked as they are read, and what the recording cannot show is unverified.

Exit status: 0 nothing failed, 1 an obligation was broken, 2 wrong use or a file that cannot be read, 4 an error of the
suite's own.
`;

const options = {
  client: { type: "boolean", default: false },
  complete: { type: "boolean", default: false },
  strict: { type: "boolean", default: false },
  "base-url": { type: "string" },
  json: { type: "string" },
  html: { type: "string" },
  help: { type: "boolean", short: "h", default: false },
} as const;

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options, strict: true, allowPositionals: true });
  } catch (error) {
    throw new WrongUse(`${(error as Error).message}\n\n${usage}`, { cause: error });
  }
}

/** The command. @returns the exit status */
export async function main(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parse(argv);
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw new WrongUse(`Give one HAR file.\n\n${usage}`);
  const given = values["base-url"]?.replace(/\/+$/, "");
  if (given !== undefined && !/^https?:\/\/[^/]/.test(given)) {
    throw new WrongUse(`--base-url ${given} is no http or https address, such as https://example.com/api/v1`);
  }
  const baseUrl = given ?? (await baseUrlOf(file));
  const judge = new TrafficJudge(values.client ? "client" : "server", values.complete);
  for await (const traffic of readHar(file, baseUrl)) judge.see(traffic);
  const { judged, partial, foreign } = judge.counts;
  if (judged === 0) throw new WrongUse(`${file} holds no request to ${baseUrl}`);
  const report = judge.report(baseUrl, file);
  console.log(terminalReport(report, paintFor(process.stdout)));
  const inPart = partial === 0 ? "" : `, ${partial} of them recorded in part and so judged in part`;
  console.log(`  ${judged} exchanges of the API${inPart}; ${foreign} others`);
  await writeReports(report, values);
  return statusOf(report, values.strict);
}

if (import.meta.main) await exitingWith(() => main(process.argv.slice(2)));
