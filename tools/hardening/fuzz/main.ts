import { randomInt } from "node:crypto";
import { baseUrl, oneOf, text, whole } from "../../../base/flag.ts";
import { verb } from "../../../base/verb.ts";
import { seeded } from "../../../base/seeded.ts";
import { sampleTools } from "../../../reference-server/catalog/sample-roles.ts";
import { deployed } from "../deployed.ts";
import { canLimitMemory } from "../memory-limit.ts";
import { endure, enduranceBounds, verbs } from "./endure.ts";
import {
  generatedServer,
  hostileServers,
  startHostile,
  strangeServer,
  type HostileServer,
} from "./hostile.ts";
import { corpora } from "./requests.ts";
import { fuzz, type FuzzOptions, type FuzzReport } from "./run.ts";
import { givenSubject, startedSubject } from "./subject.ts";

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Prints the result of a run. */
function print({ findings, sent, statuses, memory, neighbour }: FuzzReport, seed: number, seconds: number) {
  const answered = Object.entries(statuses).map(([status, count]) => `${status} ${count}`);
  say(`\n${sent} inputs in ${seconds} s, answered: ${answered.join(", ")}`);
  if (memory !== null) say(`memory: ${memory.most} MiB at most, ${memory.end} in the end`);
  if (neighbour !== null) {
    const { health, calls, unitMs, served, busy } = neighbour;
    say(
      `in times of the work on the largest lawful request (${unitMs.toFixed(1)} ms), 99 of 100 waited at most: ` +
        `/healthz ${health.toFixed(1)}, another account ${calls.toFixed(1)} (${served} times 200, ${busy} times 503)`,
    );
  }
  say(findings.length === 0 ? "nothing broke" : `${findings.length} findings; again with --seed ${seed}`);
}

const onFinding: FuzzOptions["onFinding"] = ({ name, sentence, input, curl, answer }) => {
  say(`\nFOUND ${name}\n  ${sentence}`);
  if (input === null) return;
  const { body, ...rest } = input;
  say(`  input ${JSON.stringify({ ...rest, body }).slice(0, 2_000)}`);
  say(`  ${curl.slice(0, 4_000)}\n  answer ${answer}`);
};

/** Attacks a server of its own, or the given one. @returns the number of findings */
async function attackServer(baseUrl: string | undefined, options: FuzzOptions): Promise<number> {
  const { heapMebibytes, memoryBytes } = deployed.kubernetes;
  if (baseUrl === undefined) {
    const limit = `a heap of ${heapMebibytes} MiB and ${memoryBytes / 1_048_576} MiB in all, as deployed`;
    say(
      (await canLimitMemory())
        ? `${limit}, by the kernel`
        : `${limit}; NOT LIMITED by the kernel here, only judged`,
    );
  }
  const startedAt = performance.now();
  const subject = baseUrl === undefined ? await startedSubject() : givenSubject(baseUrl);
  const idle = baseUrl === undefined ? await startedSubject() : undefined;
  try {
    const report = await fuzz(subject, { ...options, ...(idle && { idle }), onFinding });
    print(report, options.seed, Math.round((performance.now() - startedAt) / 1000));
    return report.findings.length;
  } finally {
    await subject.stop();
    await idle?.stop();
  }
}

/** The key of a new account that has called a tool some times. */
async function usedKey(baseUrl: string): Promise<string> {
  const post = (path: string, body: object, key?: string): Promise<Response> =>
    fetch(baseUrl + path, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...(key && { Authorization: `Bearer ${key}` }) },
      body: JSON.stringify(body),
    });
  const registered = (await (await post("/agent/anonymous-register", {})).json()) as {
    data: { api_key: string };
  };
  const key = registered.data.api_key;
  const { id, parameters } = sampleTools.charged;
  for (let calls = 0; calls < 5; calls += 1)
    await post("/tools/execute", { tool_id: id, parameters, session_id: "s" }, key);
  return key;
}

/** Sends each verb that talks to a server to each hostile one. @returns the number of findings */
async function attackSuite(only: string, seed: number): Promise<number> {
  let count = 0;
  const honest = await startedSubject();
  const key = await usedKey(honest.baseUrl);
  const servers: Record<string, HostileServer> = {
    ...hostileServers,
    generated: generatedServer(seeded(seed)),
    strange: strangeServer(seeded(seed)),
  };
  try {
    for (const [name, server] of Object.entries(servers)) {
      if (only !== "all" && !name.includes(only)) continue;
      for (const [called, verb] of Object.entries(verbs)) {
        const hostile = await startHostile(honest.baseUrl, server);
        const { isLawful = false } = server;
        const ended = await endure(verb, hostile.baseUrl, { isLawful, key }).finally(() => hostile.close());
        const { status, seconds, mebibytes, findings } = ended;
        const took = `${seconds.toFixed(1).padStart(5)} s  ${mebibytes} MiB`;
        say(`${name.padEnd(28)} ${called.padEnd(16)} status ${status}  ${took}`);
        for (const finding of findings) say(`FOUND ${name}, ${called}: ${finding}`);
        count += findings.length;
      }
    }
    return count;
  } finally {
    await honest.stop();
  }
}

export default verb({
  flags: {
    requests: whole("--requests <N>", "number of inputs").or(5_000),
    seed: whole("--seed <N>", "repeats the inputs of an earlier run", { least: 0 }),
    corpus: oneOf("--corpus <CORPUS>", "one corpus only: hostile or costly", corpora),
    baseUrl: baseUrl(),
    key: text("--key <API_KEY>", "an API key of the server, for requests as its account"),
    suite: text(
      "--suite <NAME>",
      "the suite meets hostile servers instead: those whose name contains this, or all",
    ),
  },
  about: `Sends inputs of two corpora to every operation, and judges every answer: hostile ones, and costly ones, which are
generated by size, nesting, repetition, slowness and the length of the account's history. Without --base-url the
reference server is started for the run, with heap and memory as deployed. Then health, another account's requests,
memory, the size of answers and charges without an answer are judged too; times by a request to an idle server.

With --suite, the suite, drift live, load, reconcile and the proxy meet hostile servers. Each must end within ${enduranceBounds.seconds} s and
${enduranceBounds.mebibytes} MiB with a verdict or a clear error, print no command of the server, and find no fault where it does
what is permitted.`,
  async run({ requests, seed = randomInt(2 ** 31), corpus, baseUrl, key = null, suite }) {
    say(`seed ${seed}`);
    const findings =
      suite === undefined
        ? await attackServer(baseUrl, { requests, seed, key, ...(corpus && { corpus }) })
        : await attackSuite(suite, seed);
    return findings === 0 ? 0 : 1;
  },
});
