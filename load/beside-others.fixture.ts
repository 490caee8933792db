import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { withTemporaryFolder } from "../base/temporary-folder.ts";
import { Secrets } from "../conformance/server/secrets.ts";
import { openAccounts, withProcesses } from "../tools/hardening/bench/running.ts";
import { median } from "../tools/hardening/bench/rounds.ts";
import { asItIs } from "../tools/hardening/bench/variants.ts";
import { recorder } from "./recorder.ts";
import { Figures } from "./engine/figures.ts";
import { saturate } from "./engine/saturate.ts";
import { Judgement } from "./judgement.ts";
import { plan, type Planned } from "./planned.ts";

/*
 * Prints what this load, autocannon and wrk say of one reference server, in turn: `npm run load:beside-others`. wrk must
 * be installed (`apt-get install wrk`); without it its row is left out.
 */
const connections = 16;
const seconds = 5;
const rounds = 3;

/** Answers a second, and latencies in milliseconds. */
interface Said {
  rate: number;
  p50: number;
  p99: number;
}
type Tool = (baseUrl: string, request: Planned, folder: string) => Promise<Said>;

const run = async (program: string, args: readonly string[]): Promise<string> =>
  (await promisify(execFile)(program, args)).stdout;

const judged: Tool = async (baseUrl, request) => {
  const [judgement, figures, record] = [new Judgement(new Secrets()), new Figures(), recorder(baseUrl)];
  const took = await saturate({
    baseUrl,
    requests: [request],
    connections,
    seconds,
    onSent: (sent) => {
      figures.take(sent);
      judgement.judge(record(sent));
    },
  });
  if (judgement.findings.length > 0) throw new Error(`a finding: ${judgement.findings[0]!.title}`);
  const [{ expected }] = figures.steps as [(typeof figures.steps)[0]];
  return { rate: figures.expected / took, p50: expected.p50_ms!, p99: expected.p99_ms! };
};

const autocannon: Tool = async (baseUrl, { path, headers, body }) => {
  const headerFlags = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}=${value}`]);
  const load = ["-j", "-n", "-m", "POST", "-c", String(connections), "-d", String(seconds), "-b", body!];
  const said = await run(join(import.meta.dirname, "../node_modules/.bin/autocannon"), [
    ...load,
    ...headerFlags,
    baseUrl + path,
  ]);
  const { requests, latency, non2xx } = JSON.parse(said) as {
    requests: { average: number };
    latency: { p50: number; p99: number };
    non2xx: number;
  };
  if (non2xx > 0) throw new Error(`${non2xx} answers to autocannon were not 2xx`);
  return { rate: requests.average, p50: latency.p50, p99: latency.p99 };
};

const wrk: Tool = async (baseUrl, { path, headers, body }, folder) => {
  const script = join(folder, "request.lua");
  const lua = [
    'wrk.method = "POST"',
    `wrk.body = ${JSON.stringify(body)}`,
    ...Object.entries(headers).map(([name, value]) => `wrk.headers["${name}"] = ${JSON.stringify(value)}`),
    'done = function(summary, latency) io.write(string.format("said %d %d %d %d\\n", summary.requests, summary.duration, latency:percentile(50), latency:percentile(99))) end',
  ];
  await writeFile(script, lua.join("\n"));
  const load = ["-t", "1", "-c", String(connections), "-d", `${seconds}s`, "-s", script];
  const said = /^said (\d+) (\d+) (\d+) (\d+)$/m.exec(await run("wrk", [...load, baseUrl + path]));
  const [requests, took, p50, p99] = said!.slice(1).map(Number) as [number, number, number, number];
  return { rate: (1e6 * requests) / took, p50: p50 / 1000, p99: p99 / 1000 };
};

const tools: Record<string, Tool> = { "this load, each judged": judged, autocannon, wrk };
if (!(await run("wrk", ["-v"]).catch((error: { code: unknown }) => error.code !== "ENOENT")))
  delete tools["wrk"];

await withTemporaryFolder((folder) =>
  withProcesses(async (start) => {
    const [key] = (await openAccounts(folder, 1)) as [string];
    const { baseUrl } = await start.server(folder, asItIs);
    const sender = { account: "account 1", key, keyName: "key 1" };
    const request = plan("discover", sender, { body: { query: "data", limit: 1 } });
    const all: Record<string, Said[]> = {};
    await judged(baseUrl, request, folder);
    for (let round = 0; round < rounds; round += 1)
      for (const [name, tool] of Object.entries(tools))
        (all[name] ??= []).push(await tool(baseUrl, request, folder));
    console.log("| Discover | answers a second | p50, ms | p99, ms |\n| --- | --- | --- | --- |");
    for (const [name, said] of Object.entries(all)) {
      const of = (which: keyof Said): number => median(said.map((one) => one[which]));
      console.log(
        `| ${name} | ${of("rate").toFixed(0)} | ${of("p50").toFixed(1)} | ${of("p99").toFixed(1)} |`,
      );
    }
  }),
);
