import { writeSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

/** Loaded before a program that is measured: reports the most memory that it held, in KiB, when it exits. */
if (isMainThread) process.on("exit", () => writeSync(3, String(process.resourceUsage().maxRSS)));
