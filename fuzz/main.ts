import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { Unreachable } from "../conformance/judge/verdict.ts";
import { fuzz, type FuzzReport } from "./run.ts";
import { givenSubject, startedSubject, type Subject } from "./subject.ts";

const usage =
  "npm run fuzz -- [--requests N, at least 1] [--seed N, a whole number] [--base-url URL] [--key API_KEY]\n" +
  "Without --base-url the reference server is started for the run.\n";

const say = (text: string): void => void process.stdout.write(`${text}\n`);

function read(): { requests: number; seed: number; baseUrl: string | undefined; key: string | null } | null {
  try {
    const { values } = parseArgs({
      options: {
        requests: { type: "string", default: "5000" },
        seed: { type: "string" },
        "base-url": { type: "string" },
        key: { type: "string" },
      },
    });
    const requests = Number(values.requests);
    const seed = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed);
    const baseUrl = values["base-url"];
    const right = Number.isInteger(requests) && requests >= 1 && Number.isInteger(seed) && seed >= 0;
    if (!right || (baseUrl !== undefined && !/^https?:/.test(baseUrl))) return null;
    return { requests, seed, baseUrl, key: values.key ?? null };
  } catch {
    return null;
  }
}

/** Exit status: 0 nothing was found, 1 something was, 2 wrong use, 3 no server there, 4 an error of the run's own. */
async function main(): Promise<number> {
  const given = read();
  if (given === null) {
    process.stderr.write(usage);
    return 2;
  }
  const { requests, seed, baseUrl, key } = given;
  say(`seed ${seed}`);
  const startedAt = performance.now();
  let subject: Subject | undefined;
  let report: FuzzReport;
  try {
    subject = baseUrl === undefined ? await startedSubject() : givenSubject(baseUrl);
    report = await fuzz(subject, {
      requests,
      seed,
      key,
      onFinding({ name, sentence, input, curl, answer }) {
        const { body, ...rest } = input;
        say(`\nFOUND ${name}\n  ${sentence}\n  input ${JSON.stringify({ ...rest, body }).slice(0, 2_000)}`);
        say(`  ${curl.slice(0, 4_000)}\n  answer ${answer}`);
      },
    });
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return error instanceof Unreachable ? 3 : 4;
  } finally {
    await subject?.stop();
  }
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  const { findings, sent, statuses, memory } = report;
  say(
    `\n${sent} inputs in ${seconds} s, answered: ${Object.entries(statuses)
      .map(([status, count]) => `${status} ${count}`)
      .join(", ")}`,
  );
  if (memory !== null) {
    say(`memory: ${memory.early} MiB early, ${memory.most} at most, ${memory.end} in the end`);
  }
  say(findings.length === 0 ? "nothing broke" : `${findings.length} findings; again with --seed ${seed}`);
  return findings.length === 0 ? 0 : 1;
}

process.exitCode = await main();
