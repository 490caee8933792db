import { goPath, lawfulRate, pathOf, sendersOf } from "../agent-path.ts";
import type { Second } from "../figures.ts";
import { openLoop } from "../open-loop.ts";
import type { Outcome } from "../outcome.ts";
import type { Sender } from "../planned.ts";
import type { LoadRun } from "../run.ts";
import type { Options } from "./index.ts";

/** The number of points in a time series of the report. */
const mostPoints = 600;
/** Share of the quotas to use, so that no account is refused by chance. */
const careful = 0.8;

/** Memory of the server's process in bytes at a time. */
interface Memory {
  at: number;
  bytes: number;
}

/** Whole paths at a steady rate, to see whether the server gets slower or larger. */
export async function soak(
  run: LoadRun,
  { seconds, rate, memoryUrl }: Pick<Options, "seconds" | "rate" | "memoryUrl">,
): Promise<Outcome> {
  const { profile, seats, figures, say, clock } = run;
  const senders = sendersOf(seats);
  const notes: string[] = [];
  const lawful =
    profile.features.rate_limits === undefined ? careful * lawfulRate(senders.length, profile) : Infinity;
  const steady = Math.min(rate, lawful);
  if (steady < rate) {
    notes.push(
      `the quotas of ${senders.length} accounts allow ${steady.toFixed(1)} paths a second, not ${rate}`,
    );
  }
  figures.grain = Math.max(1, Math.ceil(seconds / mostPoints));
  const memory: Memory[] = [];
  const look = async (): Promise<void> => {
    const bytes = memoryUrl === null ? null : await memoryOf(memoryUrl);
    if (bytes !== null) memory.push({ at: clock.now(), bytes });
  };
  await look();
  const goneSeconds = await goSteadily(run, { rate: steady, seconds }, senders, (gone) => {
    say(`${gone.toFixed(0)} of ${seconds} s`);
    void look();
  });
  if (goneSeconds !== null) notes.push(`interrupted after ${goneSeconds.toFixed(0)} of ${seconds} s`);
  await look();
  const values: Record<string, number> = { rate: steady };
  const drift = driftOf(figures.seconds);
  if (drift !== null) {
    values["drift_p50"] = drift;
    notes.push(`the median latency of the last fifth is ${drift.toFixed(2)} times that of the first`);
  }
  const [first] = memory;
  if (first === undefined) {
    notes.push("the server's memory is not seen (--memory-url)");
  } else {
    values["memory_growth"] = memory.at(-1)!.bytes / first.bytes;
    notes.push(
      `the server's memory went from ${megabytes(first.bytes)} to ${megabytes(memory.at(-1)!.bytes)} MB`,
    );
  }
  return { notes, values, ...(memory.length > 0 ? { memory } : {}) };
}

/**
 * Sends whole paths at a steady rate. SIGINT ends it early, still with a report.
 * @param onPoint called from time to time with the elapsed seconds
 * @returns the seconds until it was interrupted; null if it was not
 */
async function goSteadily(
  run: LoadRun,
  { rate, seconds }: Pick<Options, "rate" | "seconds">,
  senders: readonly Sender[],
  onPoint: (goneSeconds: number) => void,
): Promise<number | null> {
  const { clock, profile } = run;
  const paths = senders.map((sender) => pathOf(sender, profile));
  const ended = new AbortController();
  const end = (): void => ended.abort();
  process.once("SIGINT", end);
  const startedAt = clock.now();
  const gone = (): number => (clock.now() - startedAt) / 1000;
  const interval = setInterval(() => onPoint(gone()), Math.max(1000, (1000 * seconds) / mostPoints));
  try {
    await openLoop({
      clock,
      signal: ended.signal,
      rate,
      seconds,
      begin: (index, intendedAt) => goPath(run, paths[index % paths.length]!, intendedAt),
    });
  } finally {
    clearInterval(interval);
    process.off("SIGINT", end);
  }
  return ended.signal.aborted ? gone() : null;
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
