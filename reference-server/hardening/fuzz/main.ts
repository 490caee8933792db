import { randomInt } from "node:crypto";
import { baseUrl, text, whole } from "../../../cli/flag.ts";
import { verb } from "../../../cli/verb.ts";
import { fuzz, type FuzzReport } from "./run.ts";
import { givenSubject, startedSubject } from "./subject.ts";

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Prints the result of a run. */
function tell({ findings, sent, statuses, memory }: FuzzReport, seed: number, seconds: number): void {
  const answered = Object.entries(statuses).map(([status, count]) => `${status} ${count}`);
  say(`\n${sent} inputs in ${seconds} s, answered: ${answered.join(", ")}`);
  if (memory !== null) {
    say(`memory: ${memory.early} MiB early, ${memory.most} at most, ${memory.end} in the end`);
  }
  say(findings.length === 0 ? "nothing broke" : `${findings.length} findings; again with --seed ${seed}`);
}

export default verb({
  flags: {
    requests: whole("--requests <N>", "number of inputs").or(5_000),
    seed: whole("--seed <N>", "repeats the inputs of an earlier run", { least: 0 }),
    baseUrl: baseUrl(),
    key: text("--key <API_KEY>", "an API key of the server, for requests as its account"),
  },
  about: `Sends inputs from the spec and from hostile corpora to every operation, and judges every answer. Without --base-url
the reference server is started for the run.`,
  async run({ requests, seed = randomInt(2 ** 31), baseUrl, key = null }) {
    say(`seed ${seed}`);
    const startedAt = performance.now();
    const subject = baseUrl === undefined ? await startedSubject() : givenSubject(baseUrl);
    try {
      const report = await fuzz(subject, {
        requests,
        seed,
        key,
        onFinding({ name, sentence, input, curl, answer }) {
          const { body, ...rest } = input;
          say(`\nFOUND ${name}\n  ${sentence}\n  input ${JSON.stringify({ ...rest, body }).slice(0, 2_000)}`);
          say(`  ${curl.slice(0, 4_000)}\n  answer ${answer}`);
        },
      });
      tell(report, seed, Math.round((performance.now() - startedAt) / 1000));
      return report.findings.length === 0 ? 0 : 1;
    } finally {
      await subject.stop();
    }
  },
});
