import { documentFile } from "../../../cli/pinned.ts";
import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { curlOf, type Exchange } from "../../../conformance/judge/exchange.ts";
import { Secrets } from "../../../conformance/server/secrets.ts";
import { createJudge, type Breach } from "./judge.ts";
import { Lane } from "./lane.ts";
import { inputs, type Input, type Known, type KnownTool, type RequestSpec } from "./requests.ts";
import { memoryBound, type Subject } from "./subject.ts";

export interface FuzzOptions {
  /** The number of inputs, not counting those of shrinking. */
  requests: number;
  seed: number;
  /** The number of inputs in flight at once. */
  lanes?: number;
  /** The key of an account, for a server that lets nobody register. */
  key?: string | null;
  /** Called with each finding when it is made. */
  onFinding?: (finding: Finding) => void;
}

/** A way in which the server broke, with the smallest input found to cause it. */
export interface Finding extends Breach {
  input: Input;
  curl: string;
  answer: string;
}

export interface FuzzReport {
  findings: Finding[];
  /** The number of inputs sent, including those of shrinking. */
  sent: number;
  statuses: Record<string, number>;
  /**
   * Memory of the server's process in MiB: after a tenth of the inputs, at its peak, and at the end; null for a foreign
   * server.
   */
  memory: { early: number; most: number; end: number } | null;
}

/** The limit on tries to shrink a finding. */
const mostShrinks = 150;
const memorySampleMs = 250;
const mebibyte = 1024 * 1024;

const document = JSON.parse(readFileSync(documentFile(), "utf8")) as RequestSpec &
  Parameters<typeof createJudge>[0];

/**
 * Sends inputs determined by one seed and judges each answer. Each lane has its own inputs; findings with the same name
 * are shrunk and reported once.
 * @throws Unreachable if the server does not answer at the start
 */
export async function fuzz(subject: Subject, options: FuzzOptions): Promise<FuzzReport> {
  const { requests, seed, lanes = 8, key = null } = options;
  const secrets = new Secrets();
  const openLane = (): Lane => new Lane(subject.baseUrl, secrets, key);
  const known = await lookAround(openLane(), subject);
  const run = new Run(subject, known, options);
  const watched = watchMemory(subject, () => run.sent >= requests / 10);
  const each = Math.ceil(requests / lanes);
  await Promise.all(
    Array.from({ length: lanes }, (_, number) => run.perform(openLane(), seed + number * 7919, each)),
  );
  const memory = await watched.end();
  run.reportCrash();
  if (memory !== null && memory.most > memoryBound.mebibytes) {
    const sentence = `it held ${memory.most} MiB, more than ${memoryBound.mebibytes}`;
    const [input] = fc.sample(inputs(document, known), { seed, numRuns: 1 });
    run.report({ name: "memory without bound", sentence, input: input!, curl: "", answer: "none" });
  }
  return { findings: [...run.findings.values()], sent: run.sent, statuses: run.statuses, memory };
}

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

  report(finding: Finding): void {
    this.findings.set(finding.name, finding);
    this.#onFinding?.(finding);
  }

  /** Sends a lane's inputs, and starts again after each finding. */
  async perform(lane: Lane, seed: number, requests: number): Promise<void> {
    let left = requests;
    try {
      for (let attempt = 0; left > 0 && this.#subject.ended() === null; attempt += 1) {
        const { broken, numRuns } = await this.#search(lane, (seed + attempt * 104_729) | 0, left);
        if (numRuns === null) break;
        left -= numRuns;
        if (broken === null || this.findings.has(broken.breach.name)) continue;
        const { breach, exchange, input } = broken;
        this.report({ ...breach, input, curl: curlOf(exchange), answer: shown(exchange) });
      }
    } finally {
      // The inputs in flight when the process ended are the suspects.
      if (this.#subject.ended() === null) this.#underWay.delete(lane);
      lane.close();
    }
  }

  /** The process ended without an answer that explains it: one of the inputs in flight is the cause. */
  reportCrash(): void {
    const end = this.#subject.ended();
    const [input] = this.#underWay.values();
    if (end !== null && input !== undefined && !this.findings.has(crash(end).name))
      this.report({ ...crash(end), input, curl: "", answer: "none" });
  }

  /** Looks for a new finding and shrinks it. `numRuns` is null if all inputs passed. */
  async #search(
    lane: Lane,
    seed: number,
    numRuns: number,
  ): Promise<{ broken: Broken | null; numRuns: number | null }> {
    const found: { broken: Broken | null } = { broken: null };
    let tries = 0;
    const property = fc.asyncProperty(inputs(document, this.#known), async (input) => {
      if (this.#subject.ended() !== null || (found.broken !== null && (tries += 1) > mostShrinks)) return;
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
    const { exchange, silent } = await lane.send(input);
    this.sent += 1;
    const status = exchange.response === null ? "no answer" : String(exchange.response.status);
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
    const end = this.#subject.ended();
    const breach = end !== null ? crash(end) : silent ? null : this.#judge(exchange);
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
    const found = await lane.ask("POST", "/search", { query: "data", limit: 100 });
    const ids = ((found?.["results"] ?? []) as { tool_id: string }[]).map(({ tool_id }) => tool_id);
    const inspected = await lane.ask("POST", "/tools/by-ids", { tool_ids: ids });
    const tools = (inspected?.["results"] ?? []) as KnownTool[];
    if (tools.length === 0) throw new Error("the server offers no tools to make requests for");
    return { tools, capabilityIds };
  } finally {
    lane.close();
  }
}

/** Samples the memory of the server's process until the end of the run. */
function watchMemory(subject: Subject, isEarly: () => boolean): { end(): Promise<FuzzReport["memory"]> } {
  const samples: number[] = [];
  let early: number | null = null;
  let sampling = Promise.resolve();
  const sample = async (): Promise<void> => {
    if (subject.ended() !== null) return;
    const bytes = await subject.memory();
    if (bytes === null) return;
    samples.push(Math.round(bytes / mebibyte));
    if (isEarly()) early ??= samples.at(-1)!;
  };
  const timer = setInterval(() => (sampling = sampling.then(sample).catch(() => undefined)), memorySampleMs);
  return {
    async end() {
      clearInterval(timer);
      await sampling;
      await sample().catch(() => undefined);
      const last = samples.at(-1);
      return last === undefined
        ? null
        : { early: early ?? samples[0]!, most: Math.max(...samples), end: last };
    },
  };
}
