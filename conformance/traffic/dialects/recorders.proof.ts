import { execFile, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Oddity } from "../../certify/oddities.ts";
import { openStage, type Stage } from "../../certify/stage.ts";
import type { Trial } from "../../certify/trial.ts";
import type { WireAnswer } from "../../changes/wire.ts";
import type { Finding } from "../../judge/finding.ts";
import { nothingMissing } from "../../judge/missing.ts";
import { readHar, surveyOf } from "../har.ts";
import { TrafficJudge } from "../traffic-judge.ts";

const run = promisify(execFile);
const packages =
  "@pollyjs/adapter-fetch @pollyjs/adapter-node-http @pollyjs/core @pollyjs/persister-fs @themarkup/puppeteer-har axios axios-har-tracker chrome-har ff-test-bidi-har-export har-recorder newman playwright-core puppeteer-core puppeteer-har".split(
    " ",
  );
/** Needs an older node-fetch than others do. */
const apart = ["node-fetch@2", "node-fetch-har"];

const chromium = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium";
const firefox = process.env["FIREFOX_PATH"] ?? "/usr/bin/firefox-esr";
const isThere = (program: string): boolean => spawnSync(program, ["--version"]).error === undefined;

/** The tools of `record.mjs`, with the defects that their files cannot show, by a part of the rule's id. */
const tools: Record<string, { needs?: string; blind?: readonly string[] }> = {
  "Playwright, full": { needs: chromium },
  "Playwright, minimal": { needs: chromium },
  "Playwright, attached bodies": { needs: chromium },
  // Only headers are left.
  "Playwright, without bodies": {
    needs: chromium,
    blind: ["BILL-14", "BILL-39", "CALL-03", "CAPA-04", "DISC-03", "INSP-04", "LEDG-02"],
  },
  // It leaves out the bodies of requests, without which an Inspect is held against less.
  "chrome-har with Chromium": { needs: chromium, blind: ["INSP-04"] },
  "har-recorder with Chromium": { needs: chromium },
  "bidi-har-export with Firefox": { needs: firefox },
  "puppeteer-har": { needs: chromium },
  // It builds on chrome-har.
  "@themarkup/puppeteer-har": { needs: chromium, blind: ["INSP-04"] },
  "node-fetch-har": {},
  "Polly.js, node-http": {},
  "Polly.js, fetch": {},
  "axios-har-tracker": {},
  newman: {},
  mitmproxy: { needs: "mitmdump" },
  "proxy --har": {},
};

let folder: string;
let stage: Stage;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "capability-contract-recorders-"));
  stage = await openStage(join(folder, "server"));
  const install = ["install", "--legacy-peer-deps", "--no-audit", "--no-fund"];
  for (const [name, some] of [
    ["all", packages],
    ["apart", apart],
  ] as const) {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, "package.json"), "{}");
    await run("npm", [...install, ...some], { cwd: join(folder, name) });
  }
}, 600_000);
afterAll(async () => {
  await stage.close();
  await rm(folder, { recursive: true, force: true });
});

type Body = Record<string, unknown>;
const edited = (answer: WireAnswer, edit: (body: Body) => void): WireAnswer => {
  const body = JSON.parse(answer.body) as Body;
  edit(body);
  return { ...answer, body: JSON.stringify(body) };
};
const rowsOf = (body: Body): Body[] => (body["data"] as { items: Body[] }).items;

/** Seven defects, one for each step of `record.mjs`. */
const defects: Oddity = () => ({
  wire: ({ operation }, answer) => {
    if (answer.status !== 200) return answer;
    switch (operation) {
      case "discover":
        return edited(answer, (body) => (body["total"] = String(body["total"])));
      case "inspect":
        return edited(answer, ({ results }) => {
          for (const { stats } of results as Body[]) Object.assign(stats as Body, { success_rate: 1.5 });
        });
      case "call":
        return edited(answer, (body) => (body["success"] = "yes"));
      case "listUsage":
        return edited(answer, (body) => rowsOf(body).forEach((row) => (row["charge_outcome"] = "perhaps")));
      case "listLedger":
        return edited(answer, (body) => rowsOf(body).forEach((row) => (row["entry_type"] = "unheard_of")));
      case "getCredits": {
        const { "x-service-api-version": _version, ...headers } = answer.headers;
        return { ...answer, headers };
      }
      case "queryCapability":
        return edited(answer, (body) => (body["schema_hash"] = "short"));
      default:
        return answer;
    }
  },
});

/** Lets a tool record the steps. */
async function recorded(tool: string, oddity: Oddity | null): Promise<{ trial: Trial; file: string }> {
  const file = join(
    folder,
    `recording-${tool.replace(/\W+/g, "-")}-${oddity === null ? "right" : "wrong"}.har`,
  );
  const libraries = join(folder, tool === "node-fetch-har" ? "apart" : "all");
  const env = { ...process.env, NODE_LIBRARIES: libraries, CHROMIUM_PATH: chromium, FIREFOX_PATH: firefox };
  const script = new URL("record.mjs", import.meta.url).pathname;
  const trial = await stage.perform(
    { name: tool, call: null, planned: [], oddity },
    async ({ baseUrl, key }) => {
      await run(process.execPath, [script, tool, baseUrl, key, file], { env, timeout: 120_000 });
      return { status: 0, output: "", durationMs: 0 };
    },
  );
  return { trial, file };
}

const redIn = (findings: readonly Finding[]): string[] =>
  findings.filter(({ verdict }) => ["fail", "warn", "error"].includes(verdict)).map(({ id }) => id);

/** What the wire shows, and what the file shows of it. */
async function compared(tool: string, oddity: Oddity | null): Promise<{ wire: string[]; file: string[] }> {
  const { trial, file } = await recorded(tool, oddity);
  const [wire, read] = [new TrafficJudge("server", false), new TrafficJudge("server", false)];
  for (const exchange of trial.exchanges) wire.see({ exchange, missing: nothingMissing });
  for await (const traffic of readHar(file, await surveyOf(file))) read.see(traffic);
  expect(read.counts.judged).toBe(7);
  return { wire: redIn(wire.findings()), file: redIn(read.findings()) };
}

describe.each(Object.entries(tools))(
  "a recording that %s writes here",
  (tool, { needs, blind = [] }) => {
    const isMissing = needs !== undefined && !existsSync(needs) && !isThere(needs);

    it.skipIf(isMissing)("of a right server has no finding", async () => {
      expect(await compared(tool, null)).toEqual({ wire: [], file: [] });
    });

    it.skipIf(isMissing)(
      "of a server with seven defects shows what the wire shows, but for what the tool leaves out",
      async () => {
        const { wire, file } = await compared(tool, defects);
        expect(new Set(wire.map((id) => id.split("/")[0])).size).toBeGreaterThanOrEqual(7);
        expect(file).toEqual(wire.filter((id) => !blind.some((clause) => id.startsWith(clause))));
      },
    );
  },
  180_000,
);
