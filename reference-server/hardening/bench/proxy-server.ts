import { serve } from "../serving.ts";
import { startProxy } from "../../../conformance/traffic/proxy.ts";

/* The judging proxy under a bench, in its own process: `node reference-server/hardening/bench/proxy-server.ts TARGET`. */
const proxy = await startProxy({ target: process.argv[2]!, party: "server" });
let missed = 0;
const counted: Record<string, () => unknown> = {
  /** Memory of the process in bytes, including its judge. */
  memory: () => {
    globalThis.gc?.();
    return process.memoryUsage.rss();
  },
  /** CPU time in microseconds of the thread that forwards traffic. */
  cpu: () => {
    const { user, system } = process.threadCpuUsage();
    return user + system;
  },
  /** The same, plus the CPU time of the judge's thread. */
  "cpu of all": () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
  missed: () => missed,
};
/** Waits for the judge before each answer. */
const judged = (answer: () => unknown) => async (): Promise<unknown> => {
  const counts = await proxy.settled();
  missed = counts.missed + counts.partial;
  return answer();
};
const answers = Object.fromEntries(Object.entries(counted).map(([name, answer]) => [name, judged(answer)]));
serve({ baseUrl: proxy.baseUrl }, async () => void (await proxy.close()), answers);
