import net from "node:net";
import { seeded, type Seeded } from "../../../conformance/history/seeded.ts";
import { sampleTools } from "../../catalog/sample-roles.ts";
import { families, generated, type Abuse } from "./families.ts";
import type { Subject } from "./subject.ts";

/** The server's promises under abuse; .github/SECURITY.md states the same in words. */
export const abuseBounds = {
  heapMebibytes: 384,
  mebibytes: 900,
  healthzMs: 1_000,
  /** The largest answer that is not a list of an account's own rows. */
  answerBytes: 262_144,
};

export interface AbuseOptions {
  seconds: number;
  seed: number;
  lanes?: number;
  /** The deadline for /healthz; it is looser where other work keeps the machine busy. */
  healthzMs?: number;
}

export interface AbuseReport {
  findings: string[];
  sent: number;
  statuses: Record<string, number>;
  slowest: { healthzMs: number; family: string; ms: number };
  mostMebibytes: number;
  largestAnswer: number;
  /** Latencies of another account's Calls and Discovers in ms: before the abuse and during it. */
  p99: { without: number; with: number };
}

/** The abuse spends an account's credits; then a new account is opened. */
const requestsPerAccount = 30;
/** Connections held open without being read or written. */
const mostSlow = 60;

interface Trial {
  key: string;
  /** The executions that were answered. */
  answered: Set<string>;
}

/** The requests of an abuse, and what came of them. */
class Raid {
  readonly findings = new Set<string>();
  readonly statuses: Record<string, number> = {};
  readonly trials: Trial[] = [];
  readonly #baseUrl: string;
  readonly #slow: net.Socket[] = [];
  sent = 0;
  largestAnswer = 0;
  slowest = { family: "none", ms: 0 };

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
  }

  readonly ask: Ask = async (key, { method, path, body }) => {
    const response = await fetch(`${this.#baseUrl}${path}`, {
      method,
      headers: {
        "Content-Type": "application/json",
        ...(key !== null && { Authorization: `Bearer ${key}` }),
      },
      ...(body !== undefined && { body }),
    });
    return { status: response.status, text: await response.text() };
  };

  readonly register = async (): Promise<Trial> => {
    const request: Abuse = { method: "POST", path: "/agent/anonymous-register", body: "{}" };
    const { text } = await this.ask(null, request);
    const { data } = JSON.parse(text) as { data: { api_key: string } };
    const trial = { key: data.api_key, answered: new Set<string>() };
    this.trials.push(trial);
    return trial;
  };

  async send(trial: Trial, family: string, request: Abuse): Promise<void> {
    this.sent += 1;
    if (request.slow !== undefined) {
      if (this.#slow.length < mostSlow) this.#slow.push(holdOpen(this.#baseUrl, trial.key, request));
      return;
    }
    const startedAt = performance.now();
    const { status, text } = await this.ask(trial.key, request).catch((error: unknown) => ({
      status: 0,
      text: error instanceof Error ? String(error.cause ?? error) : String(error),
    }));
    const ms = Math.round(performance.now() - startedAt);
    if (ms > this.slowest.ms) this.slowest = { family, ms };
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
    // 503 says that nothing was done, which is a valid answer to overload.
    if (status === 0 || (status >= 500 && status !== 503))
      this.findings.add(`${family}: ${status} ${text.slice(0, 200)}`);
    if (request.method !== "GET") this.#measure(trial, family, text);
  }

  #measure(trial: Trial, family: string, text: string): void {
    this.largestAnswer = Math.max(this.largestAnswer, text.length);
    if (text.length > abuseBounds.answerBytes)
      this.findings.add(`${family}: an answer of ${text.length} bytes`);
    const execution = /^\{[^{]*"execution_id":"([^"]+)"/.exec(text)?.[1];
    if (execution !== undefined) trial.answered.add(execution);
  }

  /** Sends one request after another, from a new account whenever the credits of one are spent. */
  async runLane(random: Seeded, goesOn: () => boolean): Promise<void> {
    const known = Object.entries(families);
    let trial = await this.register();
    for (let count = 1; goesOn(); count += 1) {
      if (count % requestsPerAccount === 0) trial = await this.register();
      const [family, make] = random.below(3) === 0 ? (["generated", generated] as const) : random.pick(known);
      await this.send(trial, family, make(random));
    }
  }

  /** Closes the connections that are held open. */
  end(): void {
    for (const socket of this.#slow) socket.destroy();
  }
}

/** Abuses a server for a while and returns the promises that it broke. */
export async function abuse(
  subject: Subject,
  { seconds, seed, lanes = 12, healthzMs: mostHealthzMs = abuseBounds.healthzMs }: AbuseOptions,
): Promise<AbuseReport> {
  const raid = new Raid(subject.baseUrl);
  const { ask, register, findings } = raid;
  const alone = await latencies(ask, register, Math.min(5, seconds / 2));
  const watch = watched(subject, new URL(subject.baseUrl).origin);
  const until = performance.now() + seconds * 1000;
  const goesOn = (): boolean => performance.now() < until && subject.ended() === null;
  const beside = latencies(ask, register, seconds);
  await Promise.all(Array.from({ length: lanes }, (_, lane) => raid.runLane(seeded(seed + lane), goesOn)));
  const withAbuse = await beside;
  const { healthzMs, mostMebibytes } = await watch.end();
  raid.end();

  if (subject.ended() !== null) findings.add(`the server's process ended: ${subject.ended()}`);
  if (healthzMs > mostHealthzMs) findings.add(`/healthz took ${healthzMs} ms`);
  if (mostMebibytes > abuseBounds.mebibytes) findings.add(`the process held ${mostMebibytes} MiB`);
  for (const failure of [...alone.failures, ...withAbuse.failures])
    findings.add(`the other account: ${failure}`);
  for (const trial of subject.ended() === null ? raid.trials : []) {
    for (const execution of await chargedUnanswered(trial, ask))
      findings.add(`charged, and not answered: ${execution}`);
  }
  const { sent, statuses, largestAnswer, slowest } = raid;
  return {
    findings: [...findings],
    sent,
    statuses,
    slowest: { healthzMs, ...slowest },
    mostMebibytes,
    largestAnswer,
    p99: { without: percentile99(alone.ms), with: percentile99(withAbuse.ms) },
  };
}

type Ask = (key: string | null, request: Abuse) => Promise<{ status: number; text: string }>;

/** A connection on which an incomplete request stays open. */
function holdOpen(baseUrl: string, key: string, { method, path, body = "", slow }: Abuse): net.Socket {
  const { hostname, port, pathname } = new URL(`${baseUrl}${path}`);
  const target = `${pathname}${new URL(`${baseUrl}${path}`).search}`;
  const socket = net.connect(Number(port), hostname);
  socket.on("error", () => undefined);
  socket.write(
    `${method} ${target} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${slow === "trickled" ? body.slice(0, 1_000) : body}`,
  );
  return slow === "unread" ? socket.pause() : socket.resume();
}

/**
 * Measures how long a well-behaved account waits for its Calls and Discovers. It opens a new account whenever its
 * credits run out.
 */
async function latencies(ask: Ask, register: () => Promise<Trial>, seconds: number) {
  const ms: number[] = [];
  const failures: string[] = [];
  const until = performance.now() + seconds * 1000;
  const { id: tool_id, parameters } = sampleTools.charged;
  let trial = await register();
  for (let count = 1; performance.now() < until; count += 1) {
    if (count % requestsPerAccount === 0) trial = await register();
    const body = count % 2 ? { query: "weather", limit: 5 } : { tool_id, parameters };
    const path = count % 2 ? "/search" : "/tools/execute";
    const startedAt = performance.now();
    try {
      const { status, text } = await ask(trial.key, { method: "POST", path, body: JSON.stringify(body) });
      ms.push(performance.now() - startedAt);
      if (status !== 200) failures.push(`${path} ${status} ${text.slice(0, 100)}`);
      const execution = /"execution_id":"([^"]+)"/.exec(text)?.[1];
      if (execution !== undefined) trial.answered.add(execution);
    } catch (error) {
      failures.push(`${path} ${String(error)}`);
      return { ms, failures };
    }
  }
  return { ms, failures };
}

const percentile99 = (values: readonly number[]): number =>
  Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? 0);

/** Charges of an account for executions that were never answered. */
async function chargedUnanswered({ key, answered }: Trial, ask: Ask): Promise<string[]> {
  const path = "/auth/credits/ledger?page_size=500&entry_type=consume_tool_execute";
  const { text } = await ask(key, { method: "GET", path });
  const { data } = JSON.parse(text) as { data: { items: { execution_id: string }[] } };
  return data.items.map(({ execution_id }) => execution_id).filter((id) => !answered.has(id));
}

/** Polls the process's health and memory until the end. */
function watched(subject: Subject, origin: string) {
  let healthzMs = 0;
  let mostBytes = 0;
  let isOver = false;
  const run = async (): Promise<void> => {
    while (!isOver && subject.ended() === null) {
      const startedAt = performance.now();
      await fetch(`${origin}/healthz`).then(
        (answer) => answer.text(),
        () => undefined,
      );
      healthzMs = Math.max(healthzMs, Math.round(performance.now() - startedAt));
      mostBytes = Math.max(mostBytes, (await subject.memory()?.catch(() => 0)) ?? 0);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const running = run();
  return {
    async end() {
      isOver = true;
      await running;
      return { healthzMs, mostMebibytes: Math.round(mostBytes / 1_048_576) };
    },
  };
}
