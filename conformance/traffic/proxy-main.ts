import { X509Certificate } from "node:crypto";
import { createWriteStream } from "node:fs";
import { address, text, valueOf, whole, yes } from "../../base/flag.ts";
import { verb, type Values } from "../../base/verb.ts";
import { plain } from "../../base/plain.ts";
import { paintFor, type Paint } from "../../base/paint.ts";
import { terminalReport } from "../report/terminal.ts";
import { onStop, WrongUse } from "../../base/exit.ts";
import { fileText } from "../../base/read.ts";
import { requireWritable } from "../../base/write.ts";
import { shortened } from "../judge/fact.ts";
import type { Missed } from "../judge/finding.ts";
import { startProxy, type Proxy, type ProxyOptions } from "./proxy.ts";
import type { Counts, Live } from "./traffic-judge.ts";
import { statusOf, unanswered, writeReports } from "./write-reports.ts";

const flagsOfProxy = {
  target: address("--target <URL>", "the server to pass traffic on to", "http://127.0.0.1:8080").needed(),
  port: whole("--port <N>", "port to listen at; 0 takes a free one", { least: 0, most: 65_535 }).or(8090),
  host: text("--host <ADDRESS>", "address to listen at").or("127.0.0.1"),
  client: yes("--client", "check the clients instead of the server"),
  enforce: yes(
    "--enforce",
    "if a must is broken (with --strict: a should too), the client gets a 502 that names the clause; responses are " +
      "withheld until they are checked, after the request was forwarded, whatever it cost",
  ),
  complete: yes(
    "--complete",
    "all that the clients do goes through here, from start to end: also check what they left undone",
  ),
  ca: valueOf(
    "--ca <FILE>",
    "the authority (PEM) that signed the certificate of an https target, where this machine does not trust it",
    authorityOf,
  ),
  strict: yes("--strict", "warnings count as failures"),
  har: text("--har <FILE>", "where all that passes goes, as a recording with its secrets masked"),
  audit: yes(
    "--audit",
    "with --client: at the end, asks the usage audit, with the client's own key, what Calls of unknown outcome have cost",
  ),
  jsonl: text("--jsonl <FILE>", "each finding as a line of JSON, as it is found"),
  json: text("--json <FILE>", "where the report goes at the end, as JSON"),
  html: text("--html <FILE>", "where the report goes at the end, as a page"),
};

/** Findings per rule that are printed as they occur; the others are in the report. */
const printed = 3;
/** Maximum number of different connection errors that are printed. */
const maxTroubles = 20;

/** The format of a line of `--jsonl`: one exchange that breaks a rule. */
export interface LiveFinding extends Missed {
  /** ISO 8601. */
  at: string;
  clauses: readonly string[];
  level: "must" | "should";
  title: string;
  /** The sender: the label of an account, or null without a credential. */
  account: string | null;
  method: string;
  url: string;
  /** Null when there was no answer; `error` then says why. */
  status: number | null;
  error: string | null;
}

const findingOf = ({ rule, level, breach, exchange }: Live): LiveFinding => ({
  at: new Date(exchange.started_at).toISOString(),
  clauses: rule.clauses,
  level,
  title: rule.title,
  ...breach,
  fact: shortened(breach.fact),
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

/** What is read of a certificate. */
const mostOfCertificate = 2 ** 20;

function authorityOf(file: string): string {
  let pem: string;
  try {
    pem = fileText(file, mostOfCertificate);
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

/** The amount of traffic, and how much of it was not judged. */
function inWords({ judged, partial, missed, foreign }: Counts): string {
  const unseen =
    missed === 0
      ? ""
      : `; ${missed} exchanges arrived faster than they could be judged, and are not in the report`;
  return `${judged} exchanges of the API, ${partial} of them judged in part; ${foreign} others${unseen}`;
}

/** Prints the first findings of each rule, and each reason for a missing answer once. */
function printer(paint: Paint): { trouble(sentence: string): void; breach(live: Live): void } {
  const counts = new Map<string, number>();
  const troubles = new Set<string>();
  return {
    trouble(sentence) {
      if (troubles.has(sentence) || troubles.size >= maxTroubles) return;
      troubles.add(sentence);
      console.log(`${paint("red", "no answer")} ${plain(sentence)}`);
    },
    breach({ rule, level, breach, exchange }) {
      const count = (counts.get(rule.id) ?? 0) + 1;
      counts.set(rule.id, count);
      if (count > printed) return;
      const { method, url } = exchange.request;
      const status = exchange.response?.status ?? "no answer";
      console.log(
        `${paint(level === "must" ? "red" : "yellow", `${level} ${rule.clauses[0]}`)} ${rule.title}\n` +
          `  ${plain(`${method} ${url} ${status}: expected ${breach.expected}, received ${breach.received}`)}` +
          (count === printed ? "\n  further ones are only in the report" : ""),
      );
    },
  };
}

/** Forwards traffic until a signal arrives, then reports. @returns the exit status */
async function proxied(flags: Values<typeof flagsOfProxy>): Promise<number> {
  const { target, port, host, client, enforce, strict, complete, ca, har, audit, jsonl } = flags;
  if (audit && !client) throw new WrongUse("--audit needs --client: it judges what clients were charged");
  await requireWritable(har, jsonl, flags.json, flags.html);
  const paint = paintFor(process.stdout);
  const print = printer(paint);
  const lines = jsonl === undefined ? null : createWriteStream(jsonl);
  const proxy = await started({
    target,
    port,
    host,
    party: client ? "client" : "server",
    enforce,
    strict,
    complete,
    ...(ca !== undefined && { ca }),
    ...(har !== undefined && { har }),
    audit,
    onTrouble: print.trouble,
    onBreach(live) {
      lines?.write(`${JSON.stringify(findingOf(live))}\n`);
      print.breach(live);
    },
  });
  console.log(`${proxy.baseUrl} passes on to ${target}; Ctrl-C ends it, with the report`);
  try {
    await Promise.race([new Promise<void>(onStop), proxy.failed]);
  } catch (error) {
    // Without its judge it would have nothing to report.
    await proxy.close().catch(() => undefined);
    throw error;
  }
  const { report, counts: traffic, unread } = await proxy.close();
  if (lines !== null) await new Promise<void>((resolve) => lines.end(resolve));
  console.log(
    terminalReport(report, paint, {
      remarks: [inWords(traffic), ...unanswered(traffic)],
      unread: unread.map((line) => `Charges were not checked: ${line}.`),
    }),
  );
  await writeReports(report, flags);
  const status = statusOf(report, traffic, strict);
  return status === 0 && unread.length > 0 ? 3 : status;
}

export default verb({
  flags: flagsOfProxy,
  about:
    "Forwards traffic to a server, unchanged, and checks it against the contract. Ctrl-C ends it with the report.",
  run: proxied,
});
