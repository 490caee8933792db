import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ClauseId } from "../../../generated/clauses.ts";
import { clauses } from "../../../generated/clauses.ts";
import { onAnswers, onBody, onPart, onPath, type Body, type Change } from "../../changes/mutant.ts";
import { openStage, type Stage } from "../../proof/stage.ts";
import type { Finding } from "../../judge/finding.ts";
import { readHar, surveyOf, type Traffic } from "../har.ts";
import { writeHar } from "../write-har.ts";
import { clientRules } from "../../suite/crossing.ts";
import { parts, type Part } from "../../judge/missing.ts";
import { TrafficJudge } from "../traffic-judge.ts";
import { LeapingClock, Recorder } from "./recorder.fixture.ts";
import { RightClient, type Task } from "./right-client.ts";
import { tasks } from "./tasks.fixture.ts";
import type { Surroundings } from "./transport.ts";
import { wrongClients } from "./wrong-clients.ts";

const hour = 3_600_000;

let stage: Stage;
let folder: string;
beforeAll(async () => {
  stage = await openStage();
  folder = await mkdtemp(join(tmpdir(), "capability-contract-clients-"));
});
afterAll(async () => {
  await stage.close();
  await rm(folder, { recursive: true, force: true });
});

/** The first Discover is rate-limited. */
function limitedOnce(): Change {
  let isFirst = true;
  return onAnswers(
    ({ operation }) => operation === "discover" && isFirst,
    (answer) => {
      isFirst = false;
      return {
        ...answer,
        status: 429,
        headers: { ...answer.headers, "retry-after": "20", "x-ratelimit-remaining": "0" },
        body: JSON.stringify({
          status: "failure",
          message: "Too many requests.",
          status_code: 429,
          data: null,
        }),
      };
    },
  );
}

/** From the second search on, the contract of a tool renames a parameter. */
function changingContract(): Change {
  let searches = 0;
  return onPath("discover", "results", (results) => {
    searches += 1;
    const renamed = (params: Body[]): Body[] =>
      params.map((param) => (param["name"] === "city" ? { ...param, name: "place" } : param));
    return (results as Body[]).map((result) =>
      searches > 1 && result["tool_id"] === "weather.current.v1" && Array.isArray(result["params"])
        ? { ...result, params: renamed(result["params"] as Body[]) }
        : result,
    );
  });
}

/** Searches still return a tool that can no longer be called. */
const goneTool = (): Change =>
  onPart("catalog", (catalog) => ({
    ...catalog,
    search: (...asked) => catalog.search(...asked),
    capability: (id) => catalog.capability(id),
    find: (id) => (id === "company.filings.v1" ? undefined : catalog.find(id)),
  }));

/** A client's day: the answer of one Call is lost, and hours pass between its tasks. */
async function aDay(
  Client: new (around: Surroundings) => RightClient,
  change: Change,
  name: string,
  day: readonly Task[] = tasks,
  lost = 1,
) {
  return stage.perform(change, async (profile) => {
    const clock = new LeapingClock();
    const recorder = new Recorder(clock, profile.object_storage.ca!);
    let calls = 0;
    recorder.loses = ({ url }) => url.includes("/tools/execute") && (calls += 1) === lost;
    const client = new Client({
      baseUrl: profile.base_url,
      key: profile.credentials.account!,
      send: recorder.send,
      sleep: clock.sleep,
    });
    for (const task of day) {
      await client.perform(task);
      await clock.sleep(2 * hour);
    }
    const file = join(folder, `${name}.har`);
    writeHar(file, recorder.exchanges);
    const traffic: Traffic[] = [];
    for await (const entry of readHar(file, await surveyOf(file))) traffic.push(entry);
    return traffic;
  });
}

function judged(traffic: readonly Traffic[]): Finding[] {
  const judge = new TrafficJudge("client", true);
  for (const entry of traffic) judge.see(entry);
  return judge.findings();
}

const brokenIn = (findings: readonly Finding[]): string[] =>
  findings
    .filter(({ verdict }) => verdict !== "pass" && verdict !== "unverified")
    .map(({ clauses: [clause], verdict, expected, received, reason }) =>
      [clause, verdict, expected ?? reason, received].join(" | "),
    );

const every = Object.keys(parts) as Part[];
/** What a recording may omit of an exchange: each single part, and all of them. */
const gaps: readonly Partial<Traffic>[] = [...every.map((part) => [part]), every].map((missing) => ({
  missing: new Set(missing),
}));

const changes: Partial<Record<string, () => Change>> = { "FLOW-07": changingContract, "FLOW-17": goneTool };

describe("the rules about clients", () => {
  it("cite every clause of the client's that can be seen, and each has a client that breaks it", () => {
    const seen = clauses
      .filter((clause) => "party" in clause && clause.seen === "blackbox")
      .map(({ id }) => id);
    expect([...new Set(clientRules.flatMap((rule) => rule.clauses))].sort()).toEqual(seen.sort());
    expect(Object.keys(wrongClients).sort()).toEqual(seen.sort());
  });

  it.each([
    ["limited once", limitedOnce],
    ["with a changing contract", changingContract],
    ["with a tool that is gone", goneTool],
  ] as const)(
    "find nothing in the right client, %s, whatever answer the recording leaves out",
    async (name, change) => {
      const traffic = await aDay(RightClient, change(), `right ${name}`);
      const findings = judged(traffic);
      expect(brokenIn(findings)).toEqual([]);
      const kept = findings
        .filter(({ verdict }) => verdict === "pass")
        .map(({ clauses: [clause] }) => clause);
      const expected = [
        "FLOW-01",
        "FLOW-02",
        "FLOW-03",
        "FLOW-04",
        "FLOW-12",
        "FLOW-13",
        "FLOW-15",
        "FLOW-16",
      ];
      expect(kept).toEqual(expect.arrayContaining([...expected, "FLOW-19", "FLOW-20", "FLOW-22", "FLOW-25"]));
      for (const [index, left] of traffic.entries()) {
        const { method, url } = left.exchange.request;
        const gap = gaps[index % gaps.length]!;
        const without = traffic.map((entry) => (entry === left ? { ...entry, ...gap } : entry));
        expect(brokenIn(judged(without)), `without what ${method} ${url} holds`).toEqual([]);
      }
      for (const missing of gaps)
        expect(brokenIn(judged(traffic.map((entry) => ({ ...entry, ...missing }))))).toEqual([]);
    },
  );

  it("find nothing in the right client whose exchanges a recorder ends too late", async () => {
    const traffic = (await aDay(RightClient, limitedOnce(), "late ends")).map((entry) => ({
      ...entry,
      exchange: { ...entry.exchange, duration_ms: entry.exchange.duration_ms + 100 },
    }));
    expect(brokenIn(judged(traffic))).toEqual([]);
  });

  it.each(Object.entries(wrongClients))(
    "find exactly %s in the client that breaks it",
    async (clause, Client) => {
      const findings = judged(await aDay(Client, (changes[clause] ?? limitedOnce)(), clause));
      expect(
        brokenIn(findings).map((line) => line.slice(0, 7) as ClauseId),
        brokenIn(findings).join("\n"),
      ).toEqual([clause]);
    },
  );

  it("find sample values that are kept in task after task, without session ids too", async () => {
    const Client = class extends wrongClients["FLOW-09"]! {
      protected override sessionField(): Record<string, unknown> {
        return {};
      }
    };
    const [first, , , , second] = tasks;
    const third = { ...second!, session: "task-7", query: "weather of today" };
    const traffic = await aDay(Client, {}, "without sessions", [first!, second!, third]);
    expect(brokenIn(judged(traffic)).join("\n")).toContain("FLOW-09 | fail");
  });

  it("take a Call with empty parameters for another one than a Call without any", async () => {
    const Client = class extends RightClient {
      #calls = 0;

      protected override callBody(...args: Parameters<RightClient["callBody"]>): Record<string, unknown> {
        const { parameters: _left, ...body } = super.callBody(...args);
        return (this.#calls += 1) === 1 ? body : { ...body, parameters: {} };
      }

      protected override regenerated(): Record<string, unknown> {
        return {};
      }
    };
    const traffic = await aDay(Client, {}, "without parameters", [tasks.at(-1)!]);
    expect(brokenIn(judged(traffic)).join("\n")).not.toContain("FLOW-18");
  });

  const silentRefusals = onBody("call", ({ details: _details, ...body }) => body, 422);
  it.each([
    ["names it", {}],
    ["names nothing", silentRefusals],
  ] as const)(
    "let a client fix a refused field next to the parameters, if the answer %s",
    async (how, change) => {
      const Client = class extends RightClient {
        #calls = 0;

        protected override callBody(...args: Parameters<RightClient["callBody"]>): Record<string, unknown> {
          const respondWith = (this.#calls += 1) === 1 ? "fields:$[" : "summary";
          return { ...super.callBody(...args), respond_with: respondWith };
        }

        protected override regenerated(
          _: unknown,
          parameters: Record<string, unknown>,
        ): Record<string, unknown> {
          return parameters;
        }
      };
      // Only its third Call, which nothing refuses, loses its answer.
      expect(brokenIn(judged(await aDay(Client, change, `fixed, ${how}`, tasks.slice(0, 1), 3)))).toEqual([]);
    },
  );

  it("let a client name a tool by an id that it knows from elsewhere", async () => {
    const Client = class extends RightClient {
      protected override choose(): { tool_id: string; params: [] } {
        return { tool_id: "currency.list.v1", params: [] };
      }
    };
    expect(brokenIn(judged(await aDay(Client, {}, "elsewhere", tasks.slice(0, 1), 3)))).toEqual([]);
  });

  it("see the Discover of a client whose key is unknown", async () => {
    const Client = class extends RightClient {
      override async perform(task: Task): Promise<void> {
        await this.discover(task);
        await this.call({ tool_id: "currency.list.v1" }, {}, "", task);
      }

      protected override headers(): Record<string, string> {
        return { authorization: "Bearer unknown" };
      }
    };
    expect(brokenIn(judged(await aDay(Client, {}, "unknown key", tasks.slice(0, 1), 3)))).toEqual([]);
  });
});
