import { startProxy } from "../conformance/traffic/proxy.ts";

/* The judging proxy under a bench, in a process of its own: `node bench/proxy-server.ts TARGET`. */
const proxy = await startProxy({ target: process.argv[2]!, party: "server" });
const answers: Record<string, () => number> = {
  /** Bytes that the process holds, its judge included. */
  memory: () => {
    globalThis.gc?.();
    return process.memoryUsage.rss();
  },
  /** Microseconds of CPU time of the thread that passes traffic on. */
  cpu: () => {
    const { user, system } = process.threadCpuUsage();
    return user + system;
  },
  /** The same, with what the judge's thread has used. */
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
