import { afterAll, beforeAll, expect, test } from "vitest";
import { sentOf, type Change } from "../conformance/changes/mutant.ts";
import { openStage, type Stage } from "../conformance/proof/stage.ts";
import type { Profile } from "../conformance/server/profile.ts";
import { parseThreshold } from "./engine/thresholds.ts";
import { Ended } from "./ended.ts";
import { load } from "./load.ts";
import { smallest } from "./performed.fixture.ts";
import { judgedLine, loadStatus, type LoadReport } from "./report/load-report.ts";
import { measuredBy, type Scenario } from "./scenarios/index.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

/** Loads a server; the requests for which the load prepares are left alone. */
const loaded = (
  change: Change,
  { scenario = "throughput", expects = [], profile: given }: Partial<Asked> = {},
): Promise<LoadReport> =>
  stage.perform(
    {
      config: { quotas: { discover: 5000, inspect: 5000, probe: 5000, call: 5000, anonymous: 5000 } },
      ...change,
    },
    (profile) =>
      load(
        { ...profile, ...given },
        {
          scenario,
          options: { ...smallest, seconds: 0.2, rate: 20 },
          thresholds: expects.map((text) => parseThreshold(text, measuredBy[scenario])),
        },
      ),
  );
interface Asked {
  scenario: Scenario;
  expects: string[];
  profile: Partial<Profile>;
}

/** Every nth answer to a Discover of the load. */
const onDiscovers = (every: number, answer: Change["wire"]): Change => {
  let count = 0;
  return {
    wire: (request, right) =>
      request.operation === "discover" && sentOf(request)["limit"] === 1 && ++count % every === 0
        ? answer!(request, right)
        : right,
  };
};
const failing =
  (status: number): Change["wire"] =>
  (_, answer) => ({ ...answer, status, body: '{"status":"failure","message":"no"}' });

const held = ({ thresholds }: LoadReport): Record<string, boolean> =>
  Object.fromEntries(thresholds.map(({ text, kept }) => [text, kept]));
const discover = ({ steps }: LoadReport) => steps.find(({ step }) => step === "discover")!;

test("a server that refuses most requests at once is neither fast nor faultless", async () => {
  const report = await loaded(onDiscovers(1, failing(503)), {
    expects: ["errors=0", "503=0", "5xx<1%", "p99(discover)<10s", "rate_discover>0", "p99(call)<10s"],
  });
  expect(held(report)).toEqual({
    "errors=0": false,
    "503=0": false,
    "5xx<1%": false,
    "p99(discover)<10s": false,
    "rate_discover>0": false,
    "p99(call)<10s": true,
  });
  expect(report.values["rate_discover"]).toBe(0);
  expect(discover(report).expected.count).toBe(0);
  expect(discover(report).by_status).toMatchObject([{ status: 503, expected: false }]);
  expect(loadStatus(report)).toBe(1);
});

test("one failure in fifty is not a pass by itself, and a condition of one's own replaces the bound", async () => {
  const report = await loaded(onDiscovers(5, failing(500)));
  expect(held(report)).toEqual({ "failed<=1%": false });
  expect(loadStatus(report)).toBe(1);
  expect(held(await loaded(onDiscovers(5, failing(500)), { expects: ["failed<50%"] }))).toEqual({
    "failed<50%": true,
  });
});

test("a success whose body says failure is not counted as one", async () => {
  const body =
    '{"search_id":"failed","total":0,"results":[],"error_message":"no credits","remaining_credits":0}';
  const report = await loaded(onDiscovers(1, (_, answer) => ({ ...answer, status: 200, body })));
  expect(discover(report).expected.count).toBe(0);
  expect(discover(report).by_status).toMatchObject([{ status: 200, expected: false }]);
  expect(loadStatus(report)).toBe(1);
});

test("a server that stalls is slow, and not only short of answers", async () => {
  const report = await loaded(
    onDiscovers(4, async (_, answer) => {
      await new Promise((resolve) => setTimeout(resolve, 400));
      return answer;
    }),
  );
  expect(discover(report).expected.p99_ms).toBeGreaterThan(390);
  expect(held(report)).toEqual({ "failed<=1%": true });
});

test.each<Scenario>(["throughput", "billing"])(
  "an account without credits is the profile's fault, with the setting that helps: %s",
  async (scenario) => {
    const report = await loaded(
      {
        wire: (request, answer) =>
          request.operation === "call"
            ? {
                ...answer,
                status: 402,
                body: '{"execution_id":"e","success":false,"error_message":"insufficient credits","remaining_credits":0}',
              }
            : answer,
      },
      { scenario },
    );
    expect(report.ended).toMatchObject({ by: "setting" });
    expect(report.ended!.text).toContain("credentials: {account: KEY}");
    expect(loadStatus(report)).toBe(2);
  },
);

test("a load that finds its tools waits for no audit but the rows that it asks for", async () => {
  const unlimited = { quotas: { discover: 5000, inspect: 5000, probe: 5000, call: 5000, anonymous: 5000 } };
  const steps: string[] = [];
  await stage.perform({ config: unlimited }, async ({ audit_lag: _, ...profile }) => {
    const options = { ...smallest, seconds: 0.2, rate: 20 };
    const { ended } = await load(
      { ...profile, tools: {} },
      { scenario: "throughput", options, thresholds: [] },
      { say: (step) => steps.push(step) },
    );
    expect(ended).toBeNull();
  });
  expect(steps).toContain("finding tools");
  expect(steps).not.toContainEqual(expect.stringMatching(/^waiting .* for the audit$/));
});

test("a load that is interrupted before its first request says that it judged nothing, and why", async () => {
  const stop = new AbortController();
  const report = await stage.perform({}, (profile) =>
    load(
      profile,
      { scenario: "throughput", options: smallest, thresholds: [] },
      { stop, say: () => stop.abort(new Ended("interrupt", "interrupted")) },
    ),
  );
  expect(judgedLine(report)).toBe(
    "Unverified: nothing was judged; 1 not judged, 1 of them because interrupted.",
  );
  expect(loadStatus(report)).toBe(130);
});

test("a load that reads no books does not measure how late they are", async () => {
  const asked = new Set<string | null>();
  const watching: Change = {
    wire: ({ operation }, right) => {
      asked.add(operation);
      return right;
    },
  };
  await stage.perform(watching, async ({ audit_lag: _, ...profile }) => {
    const options = { ...smallest, seconds: 0.2, rate: 20 };
    const { ended } = await load(profile, { scenario: "throughput", options, thresholds: [] });
    expect(ended).toBeNull();
  });
  expect(asked).toContain("discover");
  expect(asked).not.toContain("listUsage");
});
