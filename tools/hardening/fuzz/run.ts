import { documentFile } from "../../../base/pinned.ts";
import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { curlOf, type Exchange } from "../../../conformance/judge/exchange.ts";
import { Secrets } from "../../../conformance/server/secrets.ts";
import { createJudge, type Breach } from "./judge.ts";
import { deployed } from "../deployed.ts";
import { Lane, type LaneOptions } from "./lane.ts";
import { watchNeighbour, type Neighbour } from "./neighbour.ts";
import {
  corpora,
  inputs,
  type Corpus,
  type Input,
  type Known,
  type KnownTool,
  type RequestSpec,
} from "./requests.ts";
import type { Subject } from "./subject.ts";

/** The bounds that a server keeps under attack; .github/SECURITY.md says the same in words. */
export const fuzzBounds = {
  /** The most work of the server before it answers /healthz, in multiples of the largest lawful request. */
  health: 30,
  /** The same for another account, whose Call waits for the event loop and for the database several times. */
  calls: 600,
  /** The share of another account's requests that may be refused because the server is busy. */
  busy: 0.5,
};

export interface FuzzOptions {
  /** The number of inputs, not counting those of shrinking. */
  requests: number;
  seed: number;
  /** One corpus only. */
  corpus?: Corpus;
  /** The number of inputs of each corpus in flight at a time. */
  lanes?: number;
  /** The key of an account, for a server that does not allow registration. */
  key?: string | null;
  /** An idle server next to the one under test; without it, nothing is timed. */
  idle?: Subject;
  /** Called with each finding when it is made. */
  onFinding?: (finding: Finding) => void;
}

/** A way in which the server broke, with the smallest input found to cause it; null if no single one did. */
export interface Finding extends Breach {
  input: Input | null;
  curl: string;
  answer: string;
}

export interface FuzzReport {
  findings: Finding[];
  /** The number of inputs sent, including those of shrinking. */
  sent: number;
  statuses: Record<string, number>;
  /** Memory of the server's process in MiB, at most and in the end; null for a foreign server. */
  memory: { most: number; end: number } | null;
  neighbour: Neighbour | null;
}

/** The limit on tries to shrink a finding. */
const maxShrinks = 150;
const mebibyte = 1024 * 1024;

/** The options of each lane of a corpus; costly inputs take the time of many others. */
const laneOptions = {
  hostile: { requestsPerAccount: 400, events: 0, share: 1 },
  costly: { requestsPerAccount: 40, events: 20, share: 0.1 },
} as const;
/** The history of one lane of costly inputs, which stays with its account. */
const longHistory = { requestsPerAccount: Infinity, events: 800 };

const document = JSON.parse(readFileSync(documentFile(), "utf8")) as RequestSpec &
  Parameters<typeof createJudge>[0];

/**
 * Sends inputs determined by one seed and judges each answer. Each lane has its own inputs; findings with the same name
 * are shrunk and reported once.
 * @throws Unreachable if the server does not answer at the start
 */
export async function fuzz(subject: Subject, options: FuzzOptions): Promise<FuzzReport> {
  const { requests, seed, lanes = 8, key = null, corpus: only, idle } = options;
  const secrets = new Secrets();
  const openLane = (more: Omit<LaneOptions, "key">): Lane =>
    new Lane(subject.baseUrl, secrets, { key, ...more });
  const known = await lookAround(openLane(laneOptions.hostile), subject);
  const run = new Run(subject, known, options);
  const watched = idle && watchNeighbour(subject, idle);
  const chosen = corpora.filter((corpus) => only === undefined || corpus === only);
  const opened: Lane[] = [];
  await Promise.all(
    chosen.flatMap((corpus, first) =>
      Array.from({ length: lanes }, (_, number) => {
        const isLong = corpus === "costly" && number === 0 && key === null;
        const lane = openLane(isLong ? longHistory : laneOptions[corpus]);
        opened.push(lane);
        const each = Math.ceil((laneOptions[corpus].share * requests) / lanes / chosen.length);
        return run.perform(lane, corpus, seed + (first * lanes + number) * 7919, each);
      }),
    ),
  );
  const neighbour = (await watched?.end()) ?? null;
  run.judgeCrash();
  const isThere = subject.ended() === null;
  if (neighbour !== null && isThere) run.judgeNeighbour(neighbour);
  for (const lane of idle !== undefined && isThere ? opened : []) {
    for (const execution of await lane.chargedUnanswered())
      run.report({ name: "charged, and not answered", sentence: execution });
    lane.close();
  }
  const held = isThere ? await subject.memory() : null;
  const memory = held && { most: Math.round(held.most / mebibyte), end: Math.round(held.now / mebibyte) };
  if (memory !== null && memory.most > deployedMebibytes)
    run.report({
      name: "unbounded memory",
      sentence: `it held ${memory.most} MiB, more than ${deployedMebibytes}`,
    });
  return { findings: [...run.findings.values()], sent: run.sent, statuses: run.statuses, memory, neighbour };
}

const deployedMebibytes = deployed.kubernetes.memoryBytes / mebibyte;

/** An input that broke the server, and the answer. */
interface Broken {
  breach: Breach;
  exchange: Exchange;
  input: Input;
}

/** The state shared by all lanes of a run: the counts, and the findings by name. */
class Run {
  readonly statuses: Record<string, number> = {};
  readonly findings = new Map<string, Finding>();
  sent = 0;
  readonly #judge = createJudge(document);
  readonly #underWay = new Map<Lane, Input>();
  readonly #subject: Subject;
  readonly #known: Known;
  readonly #onFinding: FuzzOptions["onFinding"];

  constructor(subject: Subject, known: Known, { onFinding }: FuzzOptions) {
    this.#subject = subject;
    this.#known = known;
    this.#onFinding = onFinding;
  }

  report(breach: Breach & Partial<Finding>): void {
    const finding = { input: null, curl: "", answer: "none", ...breach };
    this.findings.set(finding.name, finding);
    this.#onFinding?.(finding);
  }

  /** Sends a lane's inputs, and starts again after each finding. */
  async perform(lane: Lane, corpus: Corpus, seed: number, requests: number): Promise<void> {
    const made = inputs(document, this.#known, corpus);
    let left = requests;
    try {
      for (let attempt = 0; left > 0 && this.#subject.ended() === null; attempt += 1) {
        const { broken, numRuns } = await this.#search(lane, made, (seed + attempt * 104_729) | 0, left);
        if (numRuns === null) break;
        left -= numRuns;
        if (broken === null || this.findings.has(broken.breach.name)) continue;
        const { breach, exchange, input } = broken;
        this.report({ ...breach, input, curl: curlOf(exchange), answer: shown(exchange) });
      }
    } finally {
      // The inputs in flight when the process ended are the suspects.
      if (this.#subject.ended() === null) this.#underWay.delete(lane);
      lane.release();
    }
  }

  /** The process ended without an answer that explains it: one of the inputs in flight is the cause. */
  judgeCrash(): void {
    const end = this.#subject.ended();
    const [input = null] = this.#underWay.values();
    if (end !== null && !this.findings.has(crash(end).name)) this.report({ ...crash(end), input });
  }

  judgeNeighbour({ health, calls, served, busy, failures, unitMs }: Neighbour): void {
    const times = (value: number): string =>
      `${value.toFixed(0)} times the work on a large request, ${unitMs.toFixed(1)} ms`;
    if (health > fuzzBounds.health) this.report({ name: "/healthz waits", sentence: times(health) });
    if (calls > fuzzBounds.calls) this.report({ name: "another account waits", sentence: times(calls) });
    if (busy > fuzzBounds.busy * (served + busy))
      this.report({
        name: "another account is not served",
        sentence: `${busy} times 503, ${served} times 200`,
      });
    for (const sentence of failures) this.report({ name: `another account: ${sentence}`, sentence });
  }

  /** Looks for a new finding and shrinks it. `numRuns` is null if all inputs passed. */
  async #search(
    lane: Lane,
    made: fc.Arbitrary<Input>,
    seed: number,
    numRuns: number,
  ): Promise<{ broken: Broken | null; numRuns: number | null }> {
    const found: { broken: Broken | null } = { broken: null };
    let tries = 0;
    const property = fc.asyncProperty(made, async (input) => {
      if (this.#subject.ended() !== null) return;
      if (found.broken !== null) tries += 1;
      if (tries > maxShrinks) return;
      const broken = await this.#tryOut(lane, input);
      if (broken === null || this.findings.has(broken.breach.name)) return;
      if (found.broken !== null && found.broken.breach.name !== broken.breach.name) return;
      found.broken = broken;
      throw new Error(broken.breach.name);
    });
    const { failed, numRuns: ran } = await fc.check(property, { seed, numRuns });
    return { broken: found.broken, numRuns: failed ? ran : null };
  }

  async #tryOut(lane: Lane, input: Input): Promise<Broken | null> {
    this.#underWay.set(lane, input);
    const exchange = await lane.send(input);
    this.sent += 1;
    const status = exchange === null ? "none due" : (exchange.response?.status ?? "no answer");
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
    const end = this.#subject.ended();
    if (exchange === null) return null;
    const breach = end !== null ? crash(end) : this.#judge(exchange);
    return breach && { breach, exchange, input };
  }
}

const crash = (end: string): Breach => ({ name: "the server's process ended", sentence: end });

const shown = ({ response, error }: Exchange): string =>
  response === null ? String(error) : `${response.status} ${response.body.slice(0, 500)}`;

/** The server's tools with their contracts. */
async function lookAround(lane: Lane, { capabilityIds }: Subject): Promise<Known> {
  try {
    await lane.open();
    const results = await lane.ask("POST", "/search", { query: "data", limit: 100 });
    const ids = ((results?.["results"] ?? []) as { tool_id: string }[]).map(({ tool_id }) => tool_id);
    const inspected = await lane.ask("POST", "/tools/by-ids", { tool_ids: ids });
    const tools = (inspected?.["results"] ?? []) as KnownTool[];
    if (tools.length === 0) throw new Error("the server offers no tools to make requests for");
    return { tools, capabilityIds };
  } finally {
    lane.close();
  }
}
