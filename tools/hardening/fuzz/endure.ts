import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { sampleTools } from "../../../reference-server/catalog/sample-roles.ts";
import { unlimitedQuotas } from "../../../reference-server/unlimited.fixture.ts";

/** How every verb ends, whatever server it meets; .github/SECURITY.md states the same. */
export const enduranceBounds = { seconds: 300, mebibytes: 1_200 };

/** A verb that meets a server. */
export interface Verb {
  /**
   * Its words; URL and ORIGIN stand for the server's, KEY for one of an account with rows, and PROFILE for a file that
   * names a tool with a large result, the quotas, and that rows appear within a second.
   */
  command: string;
  /** Uses it until it should end, and returns what went wrong; without this, it ends by itself. */
  use?: (firstLine: string) => Promise<string[]>;
}

/** The verbs that talk to a foreign server. */
export const verbs: Readonly<Record<string, Verb>> = {
  conformance: { command: "conformance --profile PROFILE --base-url URL --fast --wait 5 --github" },
  "drift live": { command: "drift live --base-url URL --wait 5" },
  "load throughput": {
    command: "load throughput --base-url URL --wait 5 --seconds 1 --accounts 2 --connections 4 --rate 10",
  },
  "load billing": {
    command: "load billing --profile PROFILE --base-url URL --wait 5 --calls 5 --accounts 2 --connections 4",
  },
  "load history": { command: "load history --profile PROFILE --base-url URL --wait 5 --calls 10" },
  reconcile: { command: "reconcile --profile PROFILE --base-url URL --key KEY --wait 5" },
  proxy: { command: "proxy --target ORIGIN --port 0", use: (line) => throughProxy(line, Infinity) },
  "proxy --enforce": {
    command: "proxy --target ORIGIN --port 0 --enforce",
    use: (line) => throughProxy(line, maxUnpacked),
  },
};

/** How a verb ended. */
export interface Ended {
  /** Null where it was killed. */
  status: number | null;
  seconds: number;
  /** The most memory that its process held; 0 where it was killed. */
  mebibytes: number;
  findings: string[];
}

/** The exit statuses of a judgement: nothing failed, the server failed, a profile must name what it lacks, nothing could be judged. */
const judged: readonly (number | null)[] = [0, 1, 2, 3];
/** Commands of the server that would reach a terminal or a CI system. */
const obeyed =
  // eslint-disable-next-line no-control-regex -- it is what must not be printed
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]|^\s*::error title=pwned|##\[error\]pwned/m;

const cli = fileURLToPath(new URL("../../../cli/cli.ts", import.meta.url));
const peak = fileURLToPath(new URL("peak.ts", import.meta.url));

/** Runs a verb against a server and judges how it ends. */
export async function endure(
  { command, use }: Verb,
  baseUrl: string,
  { isLawful = false, key = "" } = {},
): Promise<Ended> {
  const startedAt = performance.now();
  const folder = await mkdtemp(join(tmpdir(), "capability-hostile-"));
  const places: Record<string, string> = {
    URL: baseUrl,
    ORIGIN: new URL(baseUrl).origin,
    PROFILE: join(folder, "profile.yaml"),
    KEY: key,
  };
  await writeFile(
    places["PROFILE"]!,
    JSON.stringify({
      tools: { large_result: sampleTools.large_result },
      limits: unlimitedQuotas,
      audit_lag: 1,
    }),
  );
  const args = command.split(" ").map((word) => places[word] ?? word);
  const child = spawn(process.execPath, ["--import", peak, cli, ...args], {
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  const [said, complained, held] = [1, 2, 3].map((index) => collected(child.stdio[index] as Readable));
  const timer = setTimeout(() => child.kill("SIGKILL"), 1_000 * enduranceBounds.seconds);
  const exit = once(child, "close") as Promise<[number | null]>;
  const findings = use === undefined ? [] : await used(child, use);
  const [status] = await exit;
  clearTimeout(timer);
  await rm(folder, { recursive: true });
  const seconds = (performance.now() - startedAt) / 1_000;
  const output = said!() + complained!();
  const mebibytes = Math.round(Number(held!()) / 1_024);
  if (status === null) findings.push(`had not ended after ${seconds.toFixed(0)} s`);
  else if (status === 1 && isLawful) findings.push(`a false alarm: ${output.slice(-600)}`);
  else if (!judged.includes(status)) findings.push(`ended with status ${status}: ${output.slice(-600)}`);
  if (mebibytes > enduranceBounds.mebibytes) findings.push(`held ${mebibytes} MiB`);
  const obeying = obeyed.exec(output);
  if (obeying !== null) findings.push(`printed ${JSON.stringify(output.slice(obeying.index).slice(0, 40))}`);
  return { status, seconds, mebibytes, findings };
}

/** Collects the output of a stream; returns a function that returns it. */
function collected(stream: Readable): () => string {
  const chunks: Buffer[] = [];
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString("utf8");
}

/** Uses a verb from its first line on, then ends it. */
async function used(child: ChildProcess, use: NonNullable<Verb["use"]>): Promise<string[]> {
  const [line] = (await Promise.race([once(child.stdout!, "data"), once(child, "close")])) as [unknown];
  const findings = await use(String(line));
  child.kill("SIGINT");
  return findings;
}

/** The requests that pass through a proxy. */
const passing = 40;
/** The most that a client of an enforcing proxy unpacks; a long body that is not packed passes. */
const maxUnpacked = 64 * 1024 * 1024;

/** Sends requests through the proxy, from clients that give up after a while. */
async function throughProxy(firstLine: string, maxBytes: number): Promise<string[]> {
  const [baseUrl = ""] = firstLine.split(" ");
  const findings = new Set<string>();
  const request = { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"query":"x"}' };
  await Promise.all(
    Array.from({ length: passing }, async () => {
      let size = 0;
      try {
        const answer = await fetch(`${baseUrl}/search`, { ...request, signal: AbortSignal.timeout(5_000) });
        for await (const chunk of answer.body ?? [])
          if (answer.headers.has("content-encoding")) size += (chunk as Uint8Array).length;
      } catch {
        // The server may give no answer, and the client may not want to wait for it.
      }
      if (size > maxBytes) findings.add(`passed on a body that unpacks to ${size} bytes`);
    }),
  );
  return [...findings];
}
