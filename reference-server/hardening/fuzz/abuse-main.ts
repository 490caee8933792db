import { randomInt } from "node:crypto";
import { oneOf, text, whole } from "../../../cli/flag.ts";
import { verb } from "../../../cli/verb.ts";
import { seeded } from "../../../conformance/history/seeded.ts";
import { abuse, abuseBounds } from "./abuse.ts";
import { endure, enduranceBounds, verbs } from "./endure.ts";
import { generatedServer, hostileServers, startHostile } from "./hostile.ts";
import { startedSubject } from "./subject.ts";

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Abuses the reference server. @returns the promises that it broke */
async function abuseServer(seconds: number, seed: number): Promise<string[]> {
  const subject = await startedSubject(abuseBounds.heapMebibytes);
  try {
    const report = await abuse(subject, { seconds, seed });
    const { findings, sent, statuses, slowest, mostMebibytes, largestAnswer, p99 } = report;
    const answered = Object.entries(statuses).map(([status, count]) => `${status} ${count}`);
    say(`${sent} requests, answered: ${answered.join(", ")}`);
    say(`memory ${mostMebibytes} MiB at most, largest answer ${largestAnswer} bytes`);
    say(`/healthz ${slowest.healthzMs} ms at most; slowest: ${slowest.family}, ${slowest.ms} ms`);
    say(`p99 of another account: ${p99.without} ms without, ${p99.with} ms with`);
    return findings;
  } finally {
    await subject.stop();
  }
}

/** Sends each verb that speaks with a server to each hostile one. @returns what did not end as it has to */
async function abuseSuite(only: string | undefined, seed: number): Promise<string[]> {
  const findings: string[] = [];
  const honest = await startedSubject();
  const servers = { ...hostileServers, generated: generatedServer(seeded(seed)) };
  try {
    for (const [name, server] of Object.entries(servers)) {
      if (only !== undefined && !name.includes(only)) continue;
      for (const [called, verb] of Object.entries(verbs)) {
        const hostile = await startHostile(honest.baseUrl, server);
        const ended = await endure(verb, hostile.baseUrl).finally(() => hostile.close());
        const { status, seconds, mebibytes } = ended;
        say(
          `${name.padEnd(28)} ${called.padEnd(16)} status ${status}  ${seconds.toFixed(1).padStart(5)} s  ${mebibytes} MiB`,
        );
        findings.push(...ended.findings.map((finding) => `${name}, ${called}: ${finding}`));
      }
    }
    return findings;
  } finally {
    await honest.stop();
  }
}

export default verb({
  flags: {
    part: oneOf("--part <PART>", "one half only: server or suite", ["server", "suite"]),
    seconds: whole("--seconds <N>", "how long the server is abused").or(30),
    server: text("--server <NAME>", "of the suite's half, only the hostile servers whose name contains this"),
    seed: whole("--seed <N>", "repeats the requests of an earlier run", { least: 0 }),
  },
  about: `Starts the reference server with a heap of ${abuseBounds.heapMebibytes} MB and sends it costly requests: large, nested, repeated
and slow ones to every operation, without quotas. No answer may be a 5xx but 503, every charge needs an answer, and
health, memory and the size of answers must stay within their bounds.

Then it sends the suite, drift live, load and the proxy to hostile servers. Each must end within ${enduranceBounds.seconds} s and
${enduranceBounds.mebibytes} MiB with a verdict or a clear error, and print no command of the server.`,
  async run({ part, seconds, server, seed = randomInt(2 ** 31) }) {
    say(`seed ${seed}`);
    const findings = part === "suite" ? [] : await abuseServer(seconds, seed);
    if (part !== "server") findings.push(...(await abuseSuite(server, seed)));
    for (const finding of findings) say(`FOUND ${finding}`);
    return findings.length === 0 ? 0 : 1;
  },
});
