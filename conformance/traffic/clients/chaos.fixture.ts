import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { createUnfriendlyServer } from "../../../reference-server/chaos/chaos.ts";
import { createLog, baseUrl, defaultParts } from "../../../reference-server/parts-default.ts";
import { demoConfig } from "../../run/demo/config.ts";
import { furnish } from "../../run/demo/furnish.ts";
import type { Report } from "../../report/report.ts";
import type { Profile } from "../../server/profile.ts";
import { startProxy } from "../proxy.ts";
import { LeapingClock, sendOnce } from "./recorder.fixture.ts";
import { RightClient } from "./right-client.ts";
import { tasks } from "./tasks.fixture.ts";

let root: string;
let original: string;
let furnished: Profile;
let count = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "capability-contract-chaos-"));
  original = join(root, "original");
  furnished = await furnish(demoConfig(original));
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** Runs a client through the judging proxy against the unfriendly server with a given seed. */
export async function underChaos(
  seed: string,
  Client = RightClient,
): Promise<{ broken: string[]; faults: string; kinds: string[] }> {
  const folder = join(root, String((count += 1)));
  await cp(original, folder, { recursive: true });
  const config = { ...demoConfig(folder), logLevel: "silent" };
  const { parts, close, resultsReady } = await defaultParts(config, { log: createLog("silent") });
  const { server, faults } = createUnfriendlyServer(config, parts, seed);
  const target = baseUrl(config.host, await server.start()).replace("/api/v1", "");
  const clock = new LeapingClock();
  const proxy = await startProxy({ target, party: "client", complete: true, now: clock.now });
  try {
    await resultsReady();
    const ca = await readFile(join(folder, "results", "ca.pem"));
    const client = new Client({
      baseUrl: proxy.baseUrl,
      key: furnished.credentials.account!,
      send: (request) => sendOnce(request, ca),
      sleep: clock.sleep,
    });
    for (const round of [1, 2, 3]) {
      for (const task of tasks) await client.perform({ ...task, session: `${task.session}-${round}` });
    }
    const { report } = await proxy.close();
    const answer = await fetch(`${target}/chaos`);
    expect(await answer.json()).toEqual({ seed, faults: faults.list });
    return {
      broken: brokenIn(report.checks),
      faults: await readFile(faults.file, "utf8"),
      kinds: faults.list.map(({ fault }) => fault.replace(/ \d+ m?s.*/, "")),
    };
  } finally {
    await proxy.close();
    await server.stop();
    await close();
  }
}

const brokenIn = (findings: Report["checks"]): string[] =>
  findings
    .filter(({ verdict }) => verdict !== "pass" && verdict !== "unverified")
    .map(({ clauses: [clause], expected, received, reason }) =>
      [clause, expected ?? reason, received].join(" | "),
    );
