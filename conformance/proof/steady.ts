import { createServer, request as ask } from "node:http";
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import { checks } from "../suite/checks.ts";
import { demo } from "../demo/demo.ts";
import { exitingWith } from "../main.ts";
import { rules } from "../suite/rules.ts";
import { run } from "../runner/run.ts";
import { WrongUse, type Verdict } from "../judge/verdict.ts";

const usage = `Judges the reference server again and again: each run must come to the verdicts of the first.

  npm run steady                    20 runs
  npm run steady -- --runs N        N runs
  npm run steady -- --delay MS      each answer comes MS milliseconds later
  npm run steady -- --fast          without the checks that wait for a rate-limit window to end
  taskset -c 0 npm run steady       all on one core
`;

function parse(argv: readonly string[]): { runs: number; delay: number; fast: boolean; help: boolean } {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      runs: { type: "string", default: "20" },
      delay: { type: "string", default: "0" },
      fast: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const [runs, delay] = [Number(values.runs), Number(values.delay)];
  if (!(Number.isInteger(runs) && runs > 0)) throw new WrongUse(`--runs ${values.runs} should be at least 1`);
  if (!(delay >= 0)) throw new WrongUse(`--delay ${values.delay} should be a number of milliseconds`);
  return { ...values, runs, delay };
}

/** A server that passes everything on to another one, and holds each answer back for some milliseconds. */
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

/** The command. @returns the exit status: 1 when a verdict changed, or was a failure */
export async function main(argv: readonly string[]): Promise<number> {
  const { runs, delay, fast, help } = parse(argv);
  if (help) {
    console.log(usage);
    return 0;
  }
  let first: Map<string, Verdict> | undefined;
  let unsteady = 0;
  for (let number = 1; number <= runs; number += 1) {
    const { findings, duration_ms: took } = await demo(async (profile) => {
      if (delay === 0) return run(profile, { checks, rules, fast });
      const slow = await delaying(profile.base_url, delay);
      try {
        return await run({ ...profile, base_url: slow.baseUrl }, { checks, rules, fast });
      } finally {
        slow.close();
      }
    });
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
}

if (import.meta.main) await exitingWith(() => main(process.argv.slice(2)));
