import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { WrongUse } from "../base/exit.ts";

/** Where the CPU time of the server is read: from its process on this machine, or from its Prometheus metrics. */
export interface CpuSource {
  pid?: number | undefined;
  metricsUrl?: string | undefined;
}

/**
 * Reads how many seconds of CPU time the server has used, in all of its threads; null without a source.
 * @throws WrongUse if a source does not show it
 */
export function cpuReader({ pid, metricsUrl }: CpuSource): (() => Promise<number>) | null {
  if (pid !== undefined) return async () => ofProcess(pid);
  if (metricsUrl !== undefined) return () => ofMetrics(metricsUrl);
  return null;
}

function ofProcess(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name of the program may hold spaces and brackets.
    const [user, system] = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .slice(11, 13)
      .map(Number);
    return (user! + system!) / ticksPerSecond();
  } catch (cause) {
    throw new WrongUse(`--pid ${pid}: cannot read the CPU time of this process (Linux only)`, {
      cause,
    });
  }
}

let ticks: number | undefined;
const ticksPerSecond = (): number =>
  (ticks ??= Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" })));

async function ofMetrics(url: string): Promise<number> {
  const text = await fetch(url, { signal: AbortSignal.timeout(5000) }).then(
    (answer) => answer.text(),
    () => "",
  );
  const line = /^process_cpu_seconds_total(?:\{[^}]*\})?\s+(\S+)/m.exec(text);
  if (line === null) throw new WrongUse(`--metrics-url ${url} does not show process_cpu_seconds_total`);
  return Number(line[1]);
}
