import { startProxy } from "../../../conformance/traffic/proxy.ts";

/* The judging proxy under a bench, in its own process: `node reference-server/hardening/bench/proxy-server.ts TARGET`. */
const proxy = await startProxy({ target: process.argv[2]!, party: "server" });
const answers: Record<string, () => number> = {
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
let missed = 0;
process.on("message", (message: string) => {
  if (message === "stop") return void proxy.close().then(() => process.exit(0));
  void proxy.settled().then((counts) => {
    missed = counts.missed + counts.partial;
    process.send!({ value: answers[message]!() });
  });
});
process.on("disconnect", () => process.exit(0));
process.send!({ baseUrl: proxy.baseUrl });
