import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { curlOf, type Exchange } from "../conformance/judge/exchange.ts";
import { Secrets } from "../conformance/subject/secrets.ts";
import { createJudge, type Breach } from "./judge.ts";
import { Lane } from "./lane.ts";
import { inputs, type Input, type Known, type KnownTool, type RequestSpec } from "./requests.ts";
import { memoryBound, type Subject } from "./subject.ts";

export interface FuzzOptions {
  /** Inputs, beside those that shrinking a finding takes. */
  requests: number;
  seed: number;
  /** Inputs under way at once. */
  lanes?: number;
  /** Of an account, for a server that lets nobody register. */
  key?: string | null;
  /** Told of each finding as it is made. */
  onFinding?: (finding: Finding) => void;
}

/** One way in which the server broke, with the smallest input that was found to bring it about. */
export interface Finding extends Breach {
  input: Input;
  curl: string;
  answer: string;
}

export interface FuzzReport {
  findings: Finding[];
  /** Everything that was sent as an input, also to shrink. */
  sent: number;
  statuses: Record<string, number>;
  /** Mebibytes that the server's process held after a tenth of the inputs, at most, and in the end; null for a foreign one. */
  memory: { early: number; most: number; end: number } | null;
}

/** Tries that a finding is shrunk by at most. */
const mostShrinks = 150;
const memorySampleMs = 250;
const mebibyte = 1024 * 1024;

const document = JSON.parse(
  readFileSync(new URL("../generated/openapi.json", import.meta.url), "utf8"),
) as RequestSpec & Parameters<typeof createJudge>[0];

/**
 * Sends inputs that one seed decides, and judges each answer. Each lane has inputs of its own; findings of one name are
 * reported once, shrunk.
 * @throws Unreachable when the server does not answer to begin with
 */
export async function fuzz(subject: Subject, options: FuzzOptions): Promise<FuzzReport> {
  const { requests, seed, lanes = 8, key = null, onFinding } = options;
  const secrets = new Secrets();
  const judge = createJudge(document);
  const statuses: Record<string, number> = {};
  const findings = new Map<string, Finding>();
  const underWay = new Map<number, Input>();
  let sent = 0;

  const report = (finding: Finding): void => {
    findings.set(finding.name, finding);
    onFinding?.(finding);
  };
  const known = await lookAround(new Lane(subject.baseUrl, secrets, key), subject);
  const watched = watchMemory(subject, () => sent >= requests / 10);

  async function tryOut(
    lane: Lane,
    number: number,
    input: Input,
  ): Promise<{ breach: Breach; exchange: Exchange } | null> {
    underWay.set(number, input);
    const { exchange, silent } = await lane.send(input);
    sent += 1;
    const status = exchange.response === null ? "no answer" : String(exchange.response.status);
    statuses[status] = (statuses[status] ?? 0) + 1;
    const end = subject.ended();
    const breach = end !== null ? crash(end) : silent ? null : judge(exchange);
    return breach && { breach, exchange };
  }

  async function runLane(number: number): Promise<void> {
    const lane = new Lane(subject.baseUrl, secrets, key);
    let left = Math.ceil(requests / lanes);
    try {
      for (let attempt = 0; left > 0 && subject.ended() === null; attempt += 1) {
        let found: { breach: Breach; exchange: Exchange; input: Input; tries: number } | null = null;
        const property = fc.asyncProperty(inputs(document, known), async (input) => {
          if (subject.ended() !== null || (found !== null && (found.tries += 1) > mostShrinks)) return;
          const broken = await tryOut(lane, number, input);
          if (broken === null || findings.has(broken.breach.name)) return;
          if (found !== null && found.breach.name !== broken.breach.name) return;
          found = { ...broken, input, tries: found?.tries ?? 0 };
          throw new Error(broken.breach.name);
        });
        const laneSeed = (seed + number * 7919 + attempt * 104_729) | 0;
        const { failed, numRuns } = await fc.check(property, { seed: laneSeed, numRuns: left });
        if (!failed) break;
        left -= numRuns;
        if (found !== null && !findings.has((found as Finding & { breach: Breach }).breach.name)) {
          const { breach, exchange, input } = found as { breach: Breach; exchange: Exchange; input: Input };
          report({ ...breach, input, curl: curlOf(exchange), answer: shown(exchange) });
        }
      }
    } finally {
      underWay.delete(number);
      lane.close();
    }
  }

  await Promise.all(Array.from({ length: lanes }, (_, number) => runLane(number)));
  const memory = await watched.end();
  const end = subject.ended();
  if (end !== null && !findings.has(crash(end).name)) {
    const [input] = underWay.values();
    if (input !== undefined) report({ ...crash(end), input, curl: "", answer: "none" });
  }
  if (memory !== null && memory.most > memoryBound.mebibytes) {
    const sentence = `it held ${memory.most} MiB, more than ${memoryBound.mebibytes}`;
    const [input] = fc.sample(inputs(document, known), { seed, numRuns: 1 });
    report({ name: "memory without bound", sentence, input: input!, curl: "", answer: "none" });
  }
  return { findings: [...findings.values()], sent, statuses, memory };
}

const crash = (end: string): Breach => ({ name: "the server's process ended", sentence: end });

const shown = ({ response, error }: Exchange): string =>
  response === null ? String(error) : `${response.status} ${response.body.slice(0, 500)}`;

/** The tools that the server offers, with their contracts. */
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
