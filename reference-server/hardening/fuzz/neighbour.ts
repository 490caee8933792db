import { sampleTools } from "../../catalog/sample-roles.ts";
import type { Subject } from "./subject.ts";

/** Requests after which the neighbour's credits may be spent, so that it opens a new account. */
const requestsPerAccount = 30;
/** Pause between two rounds, so that the neighbour's own work is a small part of the server's. */
const pauseMs = 25;

/**
 * What somebody else met while a server was attacked. Waits are counted by what the server worked meanwhile, since other
 * work on the machine prolongs them too.
 */
export interface Beside {
  /** The 99th percentile of the waits for /healthz, in units. */
  health: number;
  /** The same of Calls and Discovers of another account. */
  calls: number;
  /** The work of an idle server on the largest lawful request, on the same machine at the same time: the mean, in ms. */
  unitMs: number;
  /** How many of the other account's requests were answered 200, and 503. */
  served: number;
  busy: number;
  /** Answers that it should not have got. */
  failures: string[];
}

/** The largest Inspect that a server answers. */
const largest = JSON.stringify({
  tool_ids: Array.from({ length: 1_000 }, (_, n) => `${n}${"t".repeat(60)}`),
});

/**
 * Asks a server that is attacked for its health, and another account's Calls and Discovers, in turn with the largest
 * lawful request to an idle server beside it.
 */
export function watchNeighbour(attacked: Subject, idle: Subject): { end(): Promise<Beside> } {
  const seen = { unit: [] as number[], health: [] as number[], calls: [] as number[] };
  const failures = new Set<string>();
  let isOver = false;
  let served = 0;
  let busy = 0;

  async function waited(into: number[], server: Subject, ask: () => Promise<unknown>): Promise<void> {
    const before = await server.workMs();
    await ask();
    into.push((await server.workMs()) - before);
  }

  async function ask(key: string, path: string, body: object): Promise<void> {
    const { status, text } = await post(attacked.baseUrl, key, path, JSON.stringify(body));
    if (status === 200) served += 1;
    else if (status === 503) busy += 1;
    else failures.add(`${path} ${status} ${text.slice(0, 100)}`);
  }

  async function watch(): Promise<void> {
    const { id: tool_id, parameters } = sampleTools.charged;
    const idleKey = await register(idle.baseUrl);
    let key = "";
    for (let round = 0; !isOver && attacked.ended() === null; round += 1) {
      if (round % requestsPerAccount === 0) key = await register(attacked.baseUrl);
      await waited(seen.unit, idle, () => post(idle.baseUrl, idleKey, "/tools/by-ids", largest));
      await waited(seen.health, attacked, () =>
        fetch(new URL("/healthz", attacked.baseUrl)).then((answer) => answer.text()),
      );
      await waited(seen.calls, attacked, () => ask(key, "/search", { query: "weather", limit: 5 }));
      await waited(seen.calls, attacked, () => ask(key, "/tools/execute", { tool_id, parameters }));
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }

  // A server that ends is a finding of the run itself.
  const watching = watch().catch((error: unknown) => {
    if (attacked.ended() === null) failures.add(String(error));
  });
  return {
    async end() {
      isOver = true;
      await watching;
      const unitMs = seen.unit.reduce((sum, ms) => sum + ms, 0) / seen.unit.length;
      const units = (values: readonly number[]): number => percentile99(values) / unitMs;
      const beside = { health: units(seen.health), calls: units(seen.calls), unitMs };
      return { ...beside, served, busy, failures: [...failures] };
    },
  };
}

const percentile99 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(0.99 * (values.length - 1))] ?? 0;

async function post(
  baseUrl: string,
  key: string | null,
  path: string,
  body: string,
): Promise<{ status: number; text: string }> {
  const authorization = key !== null && { Authorization: `Bearer ${key}` };
  const headers = { "Content-Type": "application/json", ...authorization };
  const answer = await fetch(`${baseUrl}${path}`, { method: "POST", headers, body });
  return { status: answer.status, text: await answer.text() };
}

/** Opens an account. While the server is busy, that may take some tries. */
async function register(baseUrl: string): Promise<string> {
  for (;;) {
    const { status, text } = await post(baseUrl, null, "/agent/anonymous-register", "{}");
    if (status === 200) return (JSON.parse(text) as { data: { api_key: string } }).data.api_key;
    if (status !== 503) throw new Error(`an account was refused: ${status} ${text}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
