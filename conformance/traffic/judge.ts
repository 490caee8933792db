#!/usr/bin/env node
import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";
import { exitingWith } from "../main.ts";
import { paintFor, terminalReport } from "../report/terminal.ts";
import { WrongUse } from "../judge/verdict.ts";
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

FILE is what browsers and proxies save as HAR, plain or gzip; - is the standard input. Hosts other than the server's are
left alone, secrets are masked as they are read, and what the recording cannot show is unverified.

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
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0) throw new WrongUse(`Give one HAR file.\n\n${usage}`);
  const given = values["base-url"]?.replace(/\/+$/, "");
  if (given !== undefined && !/^https?:\/\/[^/]/.test(given)) {
    throw new WrongUse(`--base-url ${given} is no http or https address, such as https://example.com/api/v1`);
  }
  return onDisk(name, (file) => judged(file, name, given, values));
}

/**
 * Hands over a file that can be read twice: what comes through a pipe is kept until it is judged.
 * @param name a file, a named pipe, or - for the standard input
 */
async function onDisk(name: string, use: (file: string) => Promise<number>): Promise<number> {
  const isPipe = name === "-" || (await stat(name).catch(() => null))?.isFIFO() === true;
  if (!isPipe) return use(name);
  const folder = await mkdtemp(join(tmpdir(), "capability-contract-judge-"));
  const file = join(folder, "recording.har");
  try {
    await pipeline(name === "-" ? process.stdin : createReadStream(name), createWriteStream(file));
    return await use(file);
  } catch (error) {
    if (!(error instanceof WrongUse)) throw error;
    const called = name === "-" ? "The standard input" : name;
    throw new WrongUse(error.message.replaceAll(file, called), { cause: error });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Judges a file, and reports. @returns the exit status */
async function judged(
  file: string,
  name: string,
  given: string | undefined,
  values: ReturnType<typeof parse>["values"],
): Promise<number> {
  const baseUrl = given ?? (await baseUrlOf(file));
  const judge = new TrafficJudge(values.client ? "client" : "server", values.complete);
  for await (const traffic of readHar(file, baseUrl)) judge.see(traffic);
  const { counts } = judge;
  if (counts.judged === 0) throw new WrongUse(`${file} holds no request to ${baseUrl}`);
  const report = judge.report(baseUrl, name === "-" ? "the standard input" : name);
  console.log(terminalReport(report, paintFor(process.stdout)));
  const inPart =
    counts.partial === 0 ? "" : `, ${counts.partial} of them recorded in part and so judged in part`;
  console.log(`  ${counts.judged} exchanges of the API${inPart}; ${counts.foreign} others`);
  await writeReports(report, values);
  return statusOf(report, values.strict);
}

if (import.meta.main) await exitingWith(() => main(process.argv.slice(2)));
