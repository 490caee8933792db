import { setTimeout } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { sampleTools } from "../../../reference-server/catalog/sample-roles.ts";
import { cpuMsOf } from "../cpu-time.ts";
import type { Neighbour, Watched } from "./neighbour.ts";

/** Requests after which the neighbour's credits may be spent, so that it opens a new account. */
const requestsPerAccount = 30;
/** Pause between two rounds, so that the watching is a small part of the server's work. */
const pauseMs = 25;

/** The largest Inspect that a server answers. */
const largest = { tool_ids: Array.from({ length: 1_000 }, (_, n) => `${n}${"t".repeat(60)}`) };

const [attacked, idle] = workerData as [Watched, Watched];
const seen = { unit: [] as number[], health: [] as number[], calls: [] as number[] };
const failures = new Set<string>();
let isOver = false;
let served = 0;
let busy = 0;

parentPort!.once("message", () => (isOver = true));
await Promise.all(
  [watchHealth, watchCalls].map((watch) => watch().catch((error: unknown) => failures.add(String(error)))),
);
parentPort!.postMessage(summary());

async function watchHealth(): Promise<void> {
  const url = new URL("/healthz", attacked.baseUrl);
  await repeat(() => waited(seen.health, attacked, async () => (await fetch(url)).text()));
}

async function watchCalls(): Promise<void> {
  const { id: tool_id, parameters } = sampleTools.charged;
  const idleKey = await register(idle);
  let key = "";
  let rounds = 0;
  await repeat(async () => {
    if (rounds++ % requestsPerAccount === 0) key = await register(attacked);
    await waited(seen.unit, idle, () => post(idle, idleKey, "/tools/by-ids", largest));
    await waited(seen.calls, attacked, () => ask(key, "/search", { query: "weather", limit: 5 }));
    await waited(seen.calls, attacked, () => ask(key, "/tools/execute", { tool_id, parameters }));
  });
}

/** Repeats a round until the attack is over. */
async function repeat(round: () => Promise<void>): Promise<void> {
  while (!isOver) {
    await round();
    await setTimeout(pauseMs);
  }
}

/** Records how much a server worked while it was asked. */
async function waited(into: number[], { pid }: Watched, ask: () => Promise<unknown>): Promise<void> {
  const workMs = async (): Promise<number> => (await cpuMsOf(pid!)) ?? performance.now();
  const before = await workMs();
  await ask();
  into.push((await workMs()) - before);
}

async function ask(key: string, path: string, body: object): Promise<void> {
  const { status, text } = await post(attacked, key, path, body);
  if (status === 200) served += 1;
  else if (status === 503) busy += 1;
  else failures.add(`${path} ${status} ${text.slice(0, 100)}`);
}

function summary(): Neighbour {
  const unitMs = seen.unit.reduce((sum, ms) => sum + ms, 0) / seen.unit.length;
  const health = percentile99(seen.health) / unitMs;
  const calls = percentile99(seen.calls) / unitMs;
  return { health, calls, unitMs, served, busy, failures: [...failures] };
}

function percentile99(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(0.99 * (values.length - 1))] ?? 0;
}

async function post({ baseUrl }: Watched, key: string | null, path: string, body: object) {
  const headers = {
    "Content-Type": "application/json",
    ...(key !== null && { Authorization: `Bearer ${key}` }),
  };
  const answer = await fetch(`${baseUrl}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: answer.status, text: await answer.text() };
}

/** Opens an account. While the server is busy, that may take some tries. */
async function register(server: Watched): Promise<string> {
  for (;;) {
    const { status, text } = await post(server, null, "/agent/anonymous-register", {});
    if (status === 200) return (JSON.parse(text) as { data: { api_key: string } }).data.api_key;
    if (status !== 503) throw new Error(`an account was refused: ${status} ${text}`);
    await setTimeout(pauseMs);
  }
}
