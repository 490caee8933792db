#!/usr/bin/env node
import { X509Certificate } from "node:crypto";
import { createWriteStream, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { once } from "node:events";
import { parseArgs } from "node:util";
import { exitingWith } from "../main.ts";
import { plain } from "../judge/plain.ts";
import { paintFor, terminalReport } from "../report/terminal.ts";
import { WrongUse } from "../judge/verdict.ts";
import { startProxy, type Proxy, type ProxyOptions } from "./proxy.ts";
import type { Counts, Live } from "./traffic-judge.ts";
import { statusOf, writeReports } from "./write-reports.ts";

const usage = `Passes traffic on to a server, unchanged, and judges it by the contract as it passes.

  npm run proxy -- --target http://127.0.0.1:8080            judges the server
  npm run proxy -- --target http://127.0.0.1:8080 --client   judges the clients

  --port N           port to listen at (8090); 0 takes a free one
  --host ADDRESS     address to listen at (127.0.0.1)
  --enforce          where a must is broken, the client gets a 502 that names the clause; with --strict, where a
                     should is broken too. Answers are held back until they are judged; the request has then been
                     passed on, whatever it cost
  --complete         all that the clients do goes through here, from their start to their end: then also what they
                     left undone is judged
  --ca FILE          the authority that signed the certificate of an https target, in PEM, where it is none that
                     this machine trusts; NODE_EXTRA_CA_CERTS names further ones too
  --strict           warnings count as failures
  --jsonl FILE       each finding as a line of JSON, as it is found
  --json FILE  --html FILE   the report, written at the end

Ctrl-C ends it, with the report. Exit status: 0 nothing failed, 1 an obligation was broken, 2 wrong use, 4 an error of
the suite's own.
`;

const options = {
  target: { type: "string" },
  port: { type: "string", default: "8090" },
  host: { type: "string", default: "127.0.0.1" },
  client: { type: "boolean", default: false },
  enforce: { type: "boolean", default: false },
  complete: { type: "boolean", default: false },
  strict: { type: "boolean", default: false },
  ca: { type: "string" },
  jsonl: { type: "string" },
  json: { type: "string" },
  html: { type: "string" },
  help: { type: "boolean", short: "h", default: false },
} as const;

/** Findings of one rule that are printed as they come; the others are in the report. */
const printed = 3;
/** Different reasons for which no answer came that are printed. */
const mostTroubles = 20;

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options, strict: true }).values;
  } catch (error) {
    throw new WrongUse(`${(error as Error).message}\n\n${usage}`, { cause: error });
  }
}

/** A finding as a line of JSON. */
const lineOf = ({ rule, level, breach, exchange }: Live): string =>
  JSON.stringify({
    at: new Date(exchange.started_at).toISOString(),
    clauses: rule.clauses,
    level,
    title: rule.title,
    ...breach,
    account: exchange.account,
    method: exchange.request.method,
    url: exchange.request.url,
    status: exchange.response?.status ?? null,
    error: exchange.error,
  });

async function started(given: ProxyOptions): Promise<Proxy> {
  try {
    return await startProxy(given);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE") throw new WrongUse(`port ${given.port} is in use; choose another with --port`);
    if (code === "EACCES" || code === "EADDRNOTAVAIL") {
      throw new WrongUse(`${given.host}:${given.port} cannot be listened at (${code})`);
    }
    throw error;
  }
}

function ownCa(file: string): Buffer {
  let pem: Buffer;
  try {
    pem = readFileSync(file);
  } catch {
    throw new WrongUse(`--ca ${file} cannot be read`);
  }
  try {
    new X509Certificate(pem);
  } catch {
    throw new WrongUse(
      `--ca ${file} holds no certificate in PEM, which begins with -----BEGIN CERTIFICATE-----`,
    );
  }
  return pem;
}

/** How much traffic there was, and how much of it was not judged. */
function inWords({ judged, partial, missed, foreign }: Counts): string {
  const unseen =
    missed === 0
      ? ""
      : `; ${missed} exchanges came faster than they could be judged, and are not in the report`;
  return `${judged} exchanges of the API, ${partial} of them judged in part; ${foreign} others${unseen}`;
}

/** The command. @returns the exit status */
export async function main(argv: readonly string[]): Promise<number> {
  const flags = parse(argv);
  if (flags.help) {
    console.log(usage);
    return 0;
  }
  const { target } = flags;
  if (target === undefined || !/^https?:\/\/[^/]/.test(target) || !URL.canParse(target)) {
    throw new WrongUse(`--target must be an address such as http://127.0.0.1:8080\n\n${usage}`);
  }
  const port = Number(flags.port);
  if (!/^\d{1,5}$/.test(flags.port) || port > 65_535) {
    throw new WrongUse(`--port must be a whole number from 0 to 65535, not ${flags.port}`);
  }
  const paint = paintFor(process.stdout);
  const counts = new Map<string, number>();
  if (flags.jsonl !== undefined) mkdirSync(dirname(flags.jsonl), { recursive: true });
  const lines = flags.jsonl === undefined ? null : createWriteStream(flags.jsonl);
  const troubles = new Set<string>();
  const proxy = await started({
    target,
    port,
    host: flags.host,
    party: flags.client ? "client" : "server",
    enforce: flags.enforce,
    strict: flags.strict,
    complete: flags.complete,
    ...(flags.ca !== undefined && { ca: ownCa(flags.ca) }),
    onTrouble(sentence) {
      if (troubles.has(sentence) || troubles.size >= mostTroubles) return;
      troubles.add(sentence);
      console.log(`${paint("red", "no answer")} ${plain(sentence)}`);
    },
    onBreach(live) {
      lines?.write(`${lineOf(live)}\n`);
      const { rule, level, breach, exchange } = live;
      const count = (counts.get(rule.id) ?? 0) + 1;
      counts.set(rule.id, count);
      if (count > printed) return;
      const { method, url } = exchange.request;
      const status = exchange.response?.status ?? "no answer";
      console.log(
        `${paint(level === "must" ? "red" : "yellow", `${level} ${rule.clauses[0]}`)} ${rule.title}\n` +
          `  ${plain(`${method} ${url} ${status}: expected ${breach.expected}, received ${breach.received}`)}` +
          (count === printed ? "\n  further ones like it stand in the report alone" : ""),
      );
    },
  });
  console.log(`${proxy.baseUrl} passes on to ${target}; Ctrl-C ends it, with the report`);
  try {
    await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM"), proxy.failed]);
  } catch (error) {
    // Without its judge there is nothing that it could report.
    await proxy.close().catch(() => undefined);
    throw error;
  }
  const { report, counts: traffic } = await proxy.close();
  if (lines !== null) await new Promise<void>((resolve) => lines.end(resolve));
  console.log(terminalReport(report, paint));
  console.log(`  ${inWords(traffic)}`);
  await writeReports(report, flags);
  return statusOf(report, flags.strict);
}

if (import.meta.main) await exitingWith(() => main(process.argv.slice(2)));
