import { randomInt } from "node:crypto";
import { whole } from "../cli/flag.ts";
import { verb } from "../cli/verb.ts";
import { abuse, abuseBounds } from "./abuse.ts";
import { startedSubject } from "./subject.ts";

const say = (line: string): void => void process.stdout.write(`${line}\n`);

export default verb({
  flags: {
    seconds: whole("--seconds <N>", "duration in seconds").or(30),
    seed: whole("--seed <N>", "repeats the requests of an earlier run", { least: 0 }),
  },
  about: `Starts the reference server with a heap of ${abuseBounds.heapMebibytes} MB and sends it costly requests: large, nested, repeated
and slow ones to every operation, without quotas. No answer may be a 5xx but 503, every charge needs an answer, and
health, memory and the size of answers must stay within their bounds.`,
  async run({ seconds, seed = randomInt(2 ** 31) }) {
    say(`seed ${seed}`);
    const subject = await startedSubject(abuseBounds.heapMebibytes);
    try {
      const { findings, sent, statuses, slowest, mostMebibytes, largestAnswer, p99 } = await abuse(subject, {
        seconds,
        seed,
      });
      const answered = Object.entries(statuses).map(([status, count]) => `${status} ${count}`);
      say(`${sent} requests, answered: ${answered.join(", ")}`);
      say(`memory ${mostMebibytes} MiB at most, largest answer ${largestAnswer} bytes`);
      say(`/healthz ${slowest.healthzMs} ms at most; slowest: ${slowest.family}, ${slowest.ms} ms`);
      say(`p99 of another account: ${p99.without} ms without, ${p99.with} ms with`);
      for (const finding of findings) say(`FOUND ${finding}`);
      return findings.length === 0 ? 0 : 1;
    } finally {
      await subject.stop();
    }
  },
});
