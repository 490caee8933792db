import { lawfulRate, pathOf, sendersOf } from "../agent-path.ts";
import type { Question } from "../../base/judged.ts";
import type { Second, StepFigures } from "../engine/figures.ts";
import { steady } from "../engine/schedule.ts";
import type { Outcome } from "../outcome.ts";
import { because, byFlag, question, speedQuestions } from "../questions.ts";
import type { LoadRun } from "../run.ts";

export interface Soak {
  seconds: number;
  /** Paths a second. */
  rate: number;
  memoryUrl: string | null;
}

/** The number of points in a time series of the report. */
const maxPoints = 600;
/** Share of the quotas to use, so that no account is refused by chance. */
const careful = 0.8;

/** Memory of the server's process in bytes at a time. */
interface Memory {
  at: number;
  bytes: number;
}

/** Whole paths at a steady rate, to see whether the server gets slower or larger. */
export async function soak(run: LoadRun, { seconds, rate, memoryUrl }: Soak): Promise<Outcome> {
  const { profile, leases, figures, say, clock } = run;
  const senders = sendersOf(leases);
  const notes: string[] = [];
  const warnings: string[] = [];
  const lawful =
    profile.features.rate_limits === undefined ? careful * lawfulRate(senders.length, profile) : Infinity;
  const lawfulPaths = Math.min(rate, lawful);
  if (lawfulPaths < rate) {
    notes.push(
      `the quotas of ${senders.length} accounts allow ${lawfulPaths.toFixed(1)} paths a second, not ${rate}`,
    );
  }
  figures.grain = Math.max(1, Math.ceil(seconds / maxPoints));
  const memory: Memory[] = [];
  const look = async (): Promise<void> => {
    const bytes = memoryUrl === null ? null : await memoryOf(memoryUrl);
    if (bytes !== null) memory.push({ at: clock.now(), bytes });
  };
  await look();
  const startedAt = clock.now();
  run.soFar.outcome = () => {
    const took = Math.min(seconds, (clock.now() - startedAt) / 1000);
    const outcome = outcomeOf(figures.seconds, memory, figures.wholePaths / took, notes, warnings);
    return { ...outcome, questions: questionsOf(outcome, figures.steps, memoryUrl) };
  };
  const timer = setInterval(
    () => {
      say(`${((clock.now() - startedAt) / 1000).toFixed(0)} of ${seconds} s`);
      void look();
    },
    Math.max(1000, (1000 * seconds) / maxPoints),
  );
  try {
    const paths = senders.map((sender) => pathOf(sender, profile));
    const { leftOut } = await run.share({
      kind: "open",
      paths,
      stages: steady(lawfulPaths, seconds),
      suffix: "",
    });
    if (leftOut > 0)
      warnings.push(
        `${leftOut} paths were not begun, because too many were under way: the server cannot keep up`,
      );
  } finally {
    clearInterval(timer);
  }
  await look();
  return run.soFar.outcome();
}

function outcomeOf(
  points: readonly Second[],
  memory: Memory[],
  rate: number,
  notes: readonly string[],
  warnings: string[],
): Outcome {
  const values: Record<string, number> = { rate };
  const allNotes = [...notes, `${rate.toFixed(1)} paths a second, each of whose answers was expected`];
  const drift = driftOf(points);
  if (drift !== null) {
    values["drift_p50"] = drift;
    allNotes.push(`the median latency of the last fifth is ${drift.toFixed(2)} times that of the first`);
  }
  const [first] = memory;
  if (first === undefined) {
    allNotes.push("the server's memory is not seen (--memory-url)");
  } else {
    values["memory_growth"] = memory.at(-1)!.bytes / first.bytes;
    allNotes.push(
      `the server's memory went from ${megabytes(first.bytes)} to ${megabytes(memory.at(-1)!.bytes)} MB`,
    );
  }
  return { notes: allNotes, warnings, values, ...(memory.length > 0 ? { memory } : {}) };
}

/** Speed and growth are what a soak exists to judge. */
function questionsOf(
  { values }: Outcome,
  steps: readonly StepFigures[],
  memoryUrl: string | null,
): Question[] {
  const noMemory = memoryUrl === null ? byFlag("--memory-url URL") : because(`${memoryUrl} shows no memory`);
  return [
    ...speedQuestions(steps),
    question("whether it gets slower", values["drift_p50"] === undefined ? byFlag("longer --seconds") : null),
    question("whether it gets larger", values["memory_growth"] === undefined ? noMemory : null),
  ];
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(0);

/** The median latency of the last fifth as a multiple of the first fifth's; null if the load is too short. */
export function driftOf(seconds: readonly Second[]): number | null {
  const medians = seconds.map(({ p50_ms: median }) => median).filter((median) => median !== null);
  const fifth = Math.floor(medians.length / 5);
  if (fifth === 0) return null;
  const middle = (some: number[]): number => some.toSorted((one, other) => one - other)[some.length >> 1]!;
  return middle(medians.slice(-fifth)) / middle(medians.slice(0, fifth));
}

/** Memory of the server's process in bytes, from JSON or a Prometheus line; null if neither is answered. */
async function memoryOf(url: string): Promise<number | null> {
  try {
    const text = await (await fetch(url, { signal: AbortSignal.timeout(5000) })).text();
    const line = /^process_resident_memory_bytes(?:\{[^}]*\})?\s+(\S+)/m.exec(text);
    if (line) return Number(line[1]);
    const { rss } = JSON.parse(text) as { rss?: unknown };
    return typeof rss === "number" ? rss : null;
  } catch {
    return null;
  }
}
