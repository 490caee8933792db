import { once } from "node:events";
import http from "node:http";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { RightClient } from "../traffic/clients/right-client.ts";
import { wrongClients } from "../traffic/clients/wrong-clients.ts";
import { tasks } from "../traffic/clients/tasks.fixture.ts";
import { expectedWords, receivedWords } from "../judge/fact.ts";
import { certify, type Certified, type Judged } from "./certify.ts";
import { certificateOf, headline, judgedLine } from "./certificate.ts";
import { commandRun } from "./command.ts";
import { costlyClients } from "./costly-clients.fixture.ts";
import { inProcess } from "./in-process.fixture.ts";
import { randomScenario, scenariosOf, type Scenario } from "./scenarios.ts";
import { openStage, type Stage } from "./stage.ts";
import type { Run } from "./trial.ts";

let folder: string;
let stage: Stage;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "capability-contract-certify-"));
  stage = await openStage(folder);
});
afterAll(async () => {
  await stage.close();
  await rm(folder, { recursive: true, force: true });
});

const all = scenariosOf({ patient: false });
const named = (...ids: string[]): Scenario[] => all.filter(({ id }) => ids.includes(id));
const two = tasks.slice(0, 2);

const put = (
  Client: new (...args: ConstructorParameters<typeof RightClient>) => RightClient,
  scenarios: readonly Scenario[],
): Promise<Certified> => certify({ stage, run: inProcess(Client, two), scenarios, parallel: 4 });

const found = ({ judged }: Certified): string[] =>
  judged.flatMap(({ scenario: { id }, problems }) =>
    problems.map(
      ({ fault, fact }) =>
        `${id}: ${fault}: expected ${expectedWords(fact)}, received ${receivedWords(fact)}`,
    ),
  );

it("finds nothing in the right client, in faults, lawful answers and a few seeds", async () => {
  const some = named(
    "lost@1",
    "audit-empty@2",
    "limited@1",
    "absent-members@1",
    "null-members@2",
    "truncated@1",
    "expired@1",
  );
  const certified = await put(RightClient, [...some, ...[1, 2, 3, 4].map(randomScenario)]);
  expect(certified.idle).toBeNull();
  expect(found(certified)).toEqual([]);
  expect(certified.judged.filter(({ verdict }) => verdict === "pass").length).toBeGreaterThanOrEqual(8);
});

it("counts the money of a client that pays twice exactly", async () => {
  const certified = await put(wrongClients["FLOW-15"]!, named("lost@2"));
  const certificate = certificateOf(certified, { command: ["client"], options: [], startedAt: 0 });
  const { figures, checks } = certificate;
  // The run without a fault is not a scenario.
  expect(judgedLine(certificate)).toBe("Judged 1 of 1 scenario: 0 right, 1 wrong; 0 not judged.");
  expect(figures).toMatchObject({ double_charges: 1, double_credits: 2, results_unseen: 1 });
  expect(checks[1]).toMatchObject({
    verdict: "fail",
    expected: "weather.history.v1 paid for once: 2 credits",
    received: expect.stringContaining("weather.history.v1 paid for twice") as string,
    repeat: expect.stringContaining("--only lost@2 -- client") as string,
  });
});

it.each(Object.entries(costlyClients))(
  "finds the client that %s, by the right words, and counts what it costs",
  async (_, { Client, fault, at, money }) => {
    const certified = await put(Client, named(at));
    expect(found(certified).join("\n")).toContain(`${at}: ${fault}: `);
    const [{ figures, trial }] = certified.judged as [Judged];
    expect(figures).toMatchObject(money);
    expect(trial!.spent).toBe(figures!.credits);
  },
);

/** A client of `busy.mjs`. All of them, in more scenarios: busy.proof.ts. */
const busy = (name: string): Run =>
  commandRun([process.execPath, new URL("right-clients/busy.mjs", import.meta.url).pathname, name], {
    envUrl: "BASE_URL",
    envKey: "API_KEY",
  });

it.each([
  ["staggered", "a worker that wants what another has lost"],
  ["fan", "Calls of one session side by side"],
  ["hurried", "a client that looks up what it did not await"],
  ["passing", "a client that passes a refusal on and goes on with its next task"],
])("finds nothing in the right client %s: %s", async (name) => {
  const scenarios = named("lost@1", "limited@1");
  const certified = await certify({ stage, run: busy(name), scenarios, parallel: 2 });
  expect(found(certified)).toEqual([]);
  expect(certified.judged.map(({ verdict }) => verdict)).toEqual(["pass", "pass"]);
});

it("counts what is overpaid exactly where parameters differ from run to run", async () => {
  const Varying = class extends wrongClients["FLOW-15"]! {
    protected override parametersOf(
      ...args: Parameters<RightClient["parametersOf"]>
    ): Record<string, unknown> {
      return { ...super.parametersOf(...args), city: `City ${Math.random()}` };
    }
  };
  const weather = tasks[0]!;
  const some = [weather, { ...weather, session: "task-2" }, { ...weather, session: "task-3" }];
  const run = inProcess(Varying as typeof RightClient, some);
  const { judged } = await certify({ stage, run, scenarios: named("lost@2") });
  expect(judged[0]!.figures).toMatchObject({ charges: 4, double_charges: 1, double_credits: 1 });
});

it("measures a client only in runs in which it awaited its answers", async () => {
  let runs = 0;
  const hastyAtFirst: Run = async (environment) => {
    runs += 1;
    if (runs === 1) await leave(environment);
    return inProcess(RightClient, two)(environment);
  };
  const { usual } = await certify({ stage, run: hastyAtFirst, scenarios: [] });
  expect(runs).toBe(3);
  expect(usual.runs.map(({ calls }) => calls.length)).toEqual([2, 2]);
});

/** Sends a Call, and leaves before its answer. */
async function leave({ baseUrl, key }: Parameters<Run>[0]): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const request = http.request(`${baseUrl}/tools/execute`, { method: "POST", headers, agent: false });
  request.on("error", () => undefined);
  request.end(JSON.stringify({ tool_id: "weather.current.v1", parameters: { city: "Graz" } }));
  await once(request, "finish");
  request.destroy();
}

it("does not judge a client that does nothing, and does not let it pass", async () => {
  const Idle = class extends RightClient {
    override perform(): Promise<void> {
      return Promise.resolve();
    }
  };
  const certified = await put(Idle, named("lost@1"));
  const certificate = certificateOf(certified, { command: ["client"], options: [], startedAt: 0 });
  expect(certified.idle).toContain("made no Call");
  expect(certificate.summary).toMatchObject({ pass: 0, fail: 0, unverified: 1 });
  expect(judgedLine(certificate)).toMatch(/^Unverified: nothing was judged; 1 not judged/);
  expect(headline(certificate)).toContain("the client made no Call");
});

it("keeps a proxy of the environment away from the command", async () => {
  vi.stubEnv("no_proxy", "example.com");
  const run = commandRun([process.execPath, "-p", "process.env.no_proxy"], { envUrl: "URL", envKey: "KEY" });
  const { output } = await run({ baseUrl: "http://127.0.0.1", key: "key", caFile: "" });
  expect(output.trim()).toBe("example.com,127.0.0.1");
});

it("calls a scenario unverified that the client never met, or not to its end", async () => {
  const Forgetful = class extends RightClient {
    protected override async reconcile(executionId: string): Promise<void> {
      await this.read(`/auth/usage/history/v2?execution_id=${executionId}`);
    }
  };
  const certified = await put(Forgetful, named("timeout-probe", "ledger-later@1"));
  expect(certified.judged.map(({ scenario: { id }, verdict, reason }) => [id, verdict, reason])).toEqual([
    [
      "ledger-later@1",
      "unverified",
      "After the fault, the client never sends listLedger or exportLedger or getLedgerEntry.",
    ],
    ["timeout-probe", "unverified", "The client never sends probe."],
  ]);
});

it("blames no client for a trial's authority that it distrusts", async () => {
  const stranger = join(folder, "stranger.pem");
  await writeFile(stranger, rootCertificates[0]!);
  const run: Run = (environment) => inProcess(RightClient, two)({ ...environment, caFile: stranger });
  const { judged } = await certify({ stage, run, scenarios: named("truncated@1") });
  expect(judged[0]).toMatchObject({ verdict: "unverified", problems: [] });
  expect(judged[0]!.reason).toContain("distrusts the certificate authority of the trial");
});

it("counts a Call that was charged and answered with a failure", async () => {
  const failures = named("error-500@1", "error-503@1", "timeout-408@1");
  for (const { scenario, figures, verdict, trial } of (await put(RightClient, failures)).judged) {
    expect([scenario.id, verdict]).toEqual([scenario.id, "pass"]);
    expect(figures).toMatchObject({ charges: 2, credits: 3, results_unseen: 1 });
    expect(trial!.spent).toBe(3);
  }
});
