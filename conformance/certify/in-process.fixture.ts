import { readFile } from "node:fs/promises";
import { sendOnce } from "../traffic/clients/recorder.fixture.ts";
import type { RightClient, Task } from "../traffic/clients/right-client.ts";
import { tasks as allTasks } from "../traffic/clients/tasks.fixture.ts";
import type { Surroundings } from "../traffic/clients/transport.ts";
import type { Run } from "./trial.ts";

/** A client may want to wait for minutes; the books do not depend on when it returns. */
const maxSleepMs = 2500;

/** A sample client as a command would run it: over HTTP, with real waits, but in this process. */
export const inProcess =
  (Client: new (around: Surroundings) => RightClient, tasks: readonly Task[] = allTasks): Run =>
  async ({ baseUrl, key, caFile }) => {
    const started = performance.now();
    const ca = await readFile(caFile);
    const client = new Client({
      baseUrl,
      key,
      send: (request) => sendOnce(request, ca),
      sleep: (ms) => new Promise((resolve) => setTimeout(resolve, Math.min(ms, maxSleepMs))),
    });
    let status = 0;
    let output = "";
    try {
      for (const task of tasks) await client.perform(task);
    } catch (error) {
      status = 1;
      output = String(error);
    }
    return { status, output, durationMs: performance.now() - started };
  };
