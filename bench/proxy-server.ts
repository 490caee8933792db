import { startProxy } from "../conformance/traffic/proxy.ts";

/* The judging proxy under a bench, in a process of its own: `node bench/proxy-server.ts TARGET`. */
const proxy = await startProxy({ target: process.argv[2]!, party: "server" });
process.on("message", (message) => {
  if (message === "memory") {
    void proxy.settled().then(() => {
      globalThis.gc?.();
      process.send!({ value: process.memoryUsage.rss() });
    });
  }
  if (message === "stop") void proxy.close().then(() => process.exit(0));
});
process.on("disconnect", () => process.exit(0));
process.send!({ baseUrl: proxy.baseUrl });
