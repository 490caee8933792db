import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RightClient } from "../traffic/clients/right-client.ts";
import { tasks } from "../traffic/clients/tasks.fixture.ts";
import { wrongClients } from "../traffic/clients/wrong-clients.ts";
import { nothingMissing } from "../judge/missing.ts";
import { TrafficJudge } from "../traffic/traffic-judge.ts";
import { certify, type Certified, type Judged } from "./certify.ts";
import { certificateOf } from "./certificate.ts";
import { commandRun } from "./command.ts";
import { costlyClients } from "./costly-clients.fixture.ts";
import { inProcess } from "./in-process.fixture.ts";
import { randomScenario, scenariosOf } from "./scenarios.ts";
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
const parallel = 6;

/** What was found, as `SCENARIO: FAULT CLAUSE`; what breaks without a fault is under `baseline`. */
const found = ({ problems: usual, judged }: Certified): string[] => [
  ...usual.map(({ fault, clause }) => `baseline: ${fault} ${clause}`),
  ...judged.flatMap(({ scenario: { id }, problems }) =>
    problems.map(({ fault, clause }) => `${id}: ${fault} ${clause ?? ""}`),
  ),
];

/** Words of a line of the console: the table of wrong clients. */
const table: string[] = [];
afterAll(() => void (table.length > 0 && console.log(table.join("\n"))));

it("a right client has no finding in every scenario and 200 seeds", async () => {
  const seeds = Array.from({ length: 200 }, (_, index) => randomScenario(index + 1));
  const run = inProcess(RightClient, tasks.slice(0, 3));
  const certified = await certify({ stage, run, scenarios: [...all, ...seeds], parallel });
  expect(found(certified)).toEqual([]);
  const met = certified.judged.filter(({ verdict }) => verdict === "pass").length;
  expect(met).toBeGreaterThan(200);
  expect(certified.judged.flatMap(unlawful)).toEqual([]);
}, 600_000);

/** What the server breaks in a scenario that calls itself lawful, as the rules of the suite see it. */
function unlawful({ scenario: { id, kind }, trial }: Judged): string[] {
  // An injected fault answers as no server of the contract would.
  if (kind.stake !== "lawful" && !id.startsWith("seed-")) return [];
  const judge = new TrafficJudge("server", false);
  for (const [index, exchange] of (trial?.exchanges ?? []).entries())
    if (exchange.response?.status !== 500 || !trial!.struck.includes(index))
      judge.see({ exchange, missing: nothingMissing });
  return judge
    .findings()
    .filter(({ verdict }) => verdict === "fail" || verdict === "warn")
    .map(({ id: rule, expected, received }) => `${id}: ${rule}: ${expected}, not ${received}`);
}

/** Clauses whose breach is reported as a fault in money; the others are reported by their id. */
const byMoney: Partial<Record<string, string>> = { "FLOW-15": "pays twice" };

/** The clients that are charged twice. */
const payers = new Set(
  Object.entries(costlyClients).flatMap(([name, { fault }]) => (fault === "pays twice" ? name : [])),
);
payers.add("breaks FLOW-15");

describe("a wrong client is found within the scenarios of a run, by the right words:", () => {
  const wrong = [
    ...Object.entries(wrongClients).map(([clause, Client]) => ({
      name: `breaks ${clause}`,
      Client,
      words: byMoney[clause] ?? clause,
      some: tasks,
    })),
    ...Object.entries(costlyClients).map(([name, { Client, fault }]) => ({
      name,
      Client,
      words: fault,
      some: tasks.slice(0, 2),
    })),
  ];
  it.each(wrong)(
    "$name",
    async ({ name, Client, words, some }) => {
      const run = inProcess(Client!, some);
      const lines: string[] = [];
      // A right word ends the search; `tried` says how many scenarios it took.
      let tried = 0;
      while (tried < all.length && !lines.some((line) => line.includes(words))) {
        const certified = await certify({ stage, run, scenarios: all.slice(tried, tried + 8), parallel });
        lines.push(...found(certified));
        for (const { scenario, figures, trial } of certified.judged.filter((run) => run.figures !== null)) {
          expect([scenario.id, figures!.credits]).toEqual([scenario.id, trial!.spent]);
          if (!payers.has(name)) expect([scenario.id, figures!.double_charges]).toEqual([scenario.id, 0]);
        }
        tried = Math.min(all.length, tried + 8);
      }
      const hit = lines.find((line) => line.includes(words));
      table.push(`${name} | ${words} | ${hit ?? "MISSED"} | ${tried}`);
      expect(hit, lines.join("\n")).toBeDefined();
    },
    300_000,
  );
});

/** The clients of the page for client developers, and others of this folder. */
const commands: Record<string, readonly string[]> = {
  "docs, JavaScript": ["node", "client.mjs"],
  "docs, Python": ["python3", "client.py"],
  "inspects and probes, JavaScript": ["node", "careful.mjs"],
  "routing view, Python": ["python3", "routing.py"],
  "capability queries, Perl": ["perl", "capabilities.pl"],
  "curl and jq": ["bash", "discover.sh"],
};

const isThere = (program: string): boolean => spawnSync(program, ["--version"]).error === undefined;

describe("a right client in any language has no finding, and one the same verdicts in three runs:", () => {
  it.each(Object.entries(commands))(
    "%s",
    async (name, [program = "", file = ""]) => {
      if (!isThere(program) || (file.endsWith(".sh") && !isThere("jq")))
        return console.warn(`${program} is not installed`);
      const run: Run = commandRun([program, await written(file)], { envUrl: "BASE_URL", envKey: "API_KEY" });
      const runs: string[] = [];
      for (let again = name === "docs, JavaScript" ? 1 : 3; again <= 3; again += 1) {
        const certified = await certify({ stage, run, scenarios: all, parallel });
        expect(found(certified), name).toEqual([]);
        expect(certified.idle).toBeNull();
        const { checks, figures } = certificateOf(certified, {
          command: [program],
          options: [],
          startedAt: 0,
        });
        expect(figures.double_charges).toBe(0);
        runs.push(checks.map(({ id, verdict }) => `${id} ${verdict}`).join("\n"));
      }
      expect(new Set(runs).size).toBe(1);
    },
    600_000,
  );

  /** A client's file: of this folder, or as the page shows it. */
  async function written(file: string): Promise<string> {
    if (!file.startsWith("client.")) return new URL(`right-clients/${file}`, import.meta.url).pathname;
    const page = await readFile(new URL("../../docs/clients.md", import.meta.url), "utf8");
    const [, text = ""] = new RegExp(`cat > ${file} <<'END'\\n([^]*?)\\nEND\\n`).exec(page) ?? [];
    await writeFile(join(folder, file), text);
    return join(folder, file);
  }
});
