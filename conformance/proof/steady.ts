import { createServer, request as ask } from "node:http";
import type { AddressInfo } from "node:net";
import { checks } from "../suite/checks.ts";
import { demo } from "../run/demo/demo.ts";
import { whole, yes } from "../../cli/flag.ts";
import { verb } from "../../cli/verb.ts";
import { rules } from "../suite/rules.ts";
import { run } from "../run/run.ts";
import type { Verdict } from "../judge/verdict.ts";

/** A proxy that forwards everything and delays each answer by some milliseconds. */
async function delaying(baseUrl: string, delay: number) {
  const { origin, pathname } = new URL(baseUrl);
  const server = createServer((incoming, outgoing) => {
    const { method, headers } = incoming;
    const onward = ask(`${origin}${incoming.url}`, { method, headers }, (answer) => {
      setTimeout(() => {
        outgoing.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(outgoing);
      }, delay);
    });
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`, close };
}

/** Judges the reference server once. */
const judged = (delayMs: number, fast: boolean) =>
  demo(async (profile) => {
    if (delayMs === 0) return run(profile, { checks, rules, fast });
    const slow = await delaying(profile.base_url, delayMs);
    try {
      return await run({ ...profile, base_url: slow.baseUrl }, { checks, rules, fast });
    } finally {
      slow.close();
    }
  });

export default verb({
  flags: {
    runs: whole("--runs <N>", "how many runs").or(20),
    delay: whole("--delay <MS>", "each answer comes this many milliseconds later", { least: 0 }).or(0),
    fast: yes("--fast", "leave out the checks that wait for a rate-limit window to end"),
  },
  about: `Judges the reference server again and again: each run must come to the verdicts of the first.
Beneath taskset -c 0 everything runs on one core.`,
  async run({ runs, delay, fast }) {
    let first: Map<string, Verdict> | undefined;
    let unsteady = 0;
    for (let number = 1; number <= runs; number += 1) {
      const { findings, duration_ms: took } = await judged(delay, fast);
      first ??= new Map(findings.map(({ id, verdict }) => [id, verdict]));
      const wrong = findings.filter(
        ({ id, verdict }) => verdict !== first!.get(id) || !["pass", "unverified"].includes(verdict),
      );
      if (wrong.length > 0) unsteady += 1;
      console.log(
        `run ${number} of ${runs}: ${(took / 1000).toFixed(1)} s, ${wrong.length || "no"} other verdicts`,
      );
      for (const { id, verdict, expected, received, reason } of wrong) {
        console.log(
          `  ${verdict}  ${id}: ${expected ?? reason}${received === null ? "" : `, received ${received}`}`,
        );
      }
    }
    console.log(unsteady === 0 ? `${runs} runs, the same verdicts` : `${unsteady} of ${runs} runs differ`);
    return unsteady === 0 ? 0 : 1;
  },
});
