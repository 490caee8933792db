import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withTemporaryFolder } from "../base/temporary-folder.ts";
import { onAnswers, withBody, type Change } from "../conformance/changes/mutant.ts";
import { openStage, type Stage } from "../conformance/proof/stage.ts";
import type { Profile } from "../conformance/server/profile.ts";
import type { OperationId } from "../generated/contract.ts";
import { ranHere } from "./in-process.fixture.ts";

/*
 * Every verb that judges a server meets one that gives it nothing. None may praise it: it says what it did not judge, and
 * its status is 0 only where it has judged something.
 */

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

const failing = (status: number): Change => ({
  wire: (_, answer) => withBody(status, { status: "failure", message: "no" })(answer),
});

/** Empties the lists in an operation's answers. */
const emptied = (...chosen: OperationId[]): Change =>
  onAnswers(
    ({ operation }, { status }) => status === 200 && operation !== null && chosen.includes(operation),
    (answer) => {
      const body = JSON.parse(answer.body) as Record<string, unknown>;
      const nothing = { items: [], results: [], total: 0 };
      const bare = (one: object) =>
        Object.fromEntries(
          Object.entries(one).map(([name, value]) => [name, nothing[name as keyof typeof nothing] ?? value]),
        );
      const { data } = body;
      return withBody(200, {
        ...bare(body),
        ...(typeof data === "object" && data !== null && { data: bare(data) }),
      })(answer);
    },
  );

const off = (...names: string[]): Profile["features"] =>
  Object.fromEntries(names.map((name) => [name, "not here"]));

const servers = {
  "shows no rows": emptied("listUsage", "listLedger", "listUsageFeed", "listSettlements"),
  "answers 503 to everything": failing(503),
  "refuses every key": failing(401),
  "gives an account without credits": {
    profile: ({ credentials, features, ...rest }) => ({
      ...rest,
      credentials: { account: credentials.exhausted!, pool: [] },
      features: { ...features, ...off("trial") },
    }),
  },
  "registers nobody": {
    ...onAnswers(
      ({ operation }) => operation === "registerAnonymous",
      withBody(403, { status: "failure", message: "closed" }),
    ),
    profile: (profile) => ({ ...profile, credentials: { pool: [] }, tools: {} }),
  },
  "finds no tools": {
    ...emptied("discover"),
    profile: (profile) => ({ ...profile, tools: {}, capabilities: {} }),
  },
  "has nothing": {
    profile: (profile) => ({
      ...profile,
      features: off(
        "discover",
        "inspect",
        "probe",
        "call",
        "capabilities",
        "usage",
        "ledger",
        "getCredits",
        "trial",
      ),
    }),
  },
} satisfies Record<string, Change>;

/** Windows that end while a proof lasts. */
const windowSeconds = 5;

const verbs = {
  conformance: ["conformance", "--fast", "--quiet"],
  "load throughput": ["load", "throughput", "--seconds", "1", "--rate", "5"],
  "load billing": ["load", "billing", "--calls", "10", "--accounts", "1"],
  "load history": ["load", "history", "--calls", "10", "--accounts", "1"],
  "load rate-limits": ["load", "rate-limits", "--only", "probe"],
  "load soak": ["load", "soak", "--seconds", "2", "--rate", "5"],
  "load limits": ["load", "limits", "--only", "probe"],
  reconcile: ["reconcile"],
  "drift live": ["drift", "live"],
} satisfies Record<string, string[]>;

/** The exit status of each verb, in their order. */
const statuses: Readonly<Record<keyof typeof servers, readonly number[]>> = {
  "shows no rows": [1, 0, 1, 1, 0, 0, 0, 3, 0],
  "answers 503 to everything": [1, 1, 1, 1, 1, 1, 3, 3, 3],
  "refuses every key": [2, 2, 2, 2, 2, 2, 2, 2, 2],
  "gives an account without credits": [2, 2, 2, 2, 0, 2, 0, 3, 0],
  "registers nobody": [1, 2, 2, 2, 2, 2, 2, 2, 3],
  "finds no tools": [0, 2, 2, 2, 2, 2, 2, 0, 0],
  "has nothing": [2, 2, 2, 2, 2, 2, 2, 3, 2],
};

/** The profile that a user of such a server would write. */
const written = ({ base_url, credentials, tools, audit_lag, limits, features }: Profile): string =>
  JSON.stringify({
    ...{ base_url, credentials, tools, audit_lag, limits },
    features: Object.fromEntries(Object.entries(features).map(([name, why]) => [name, { off: why }])),
  });

const meetings = Object.keys(servers).flatMap((server) =>
  Object.entries(verbs).map(([verb, argv], index) => ({
    ...{ verb, argv, server: server as keyof typeof servers },
    status: statuses[server as keyof typeof servers][index]!,
  })),
);

test.for(meetings)(
  "$verb, of a server that $server, ends with $status",
  { timeout: 600_000 },
  async ({ argv, server, status }) => {
    const change: Change = { config: { windowSeconds }, ...servers[server] };
    const ended = await stage.perform(change, (profile) =>
      withTemporaryFolder(async (folder) => {
        const file = join(folder, "profile.yaml");
        await writeFile(file, written(profile));
        return ranHere(...argv, "--profile", file, "--wait", "30");
      }),
    );
    const { stdout, stderr } = ended;
    const lastLine = (stdout === "" ? stderr : stdout).trimEnd().split("\n").at(-1)!;
    expect({ status: ended.status, lastLine }).toMatchObject({ status });
    // A profile that does not fit, and a server that cannot be read, are reported in a sentence of their own.
    if (stdout === "") return;
    expect(lastLine).toMatch(/^ *(?:Judged|Unverified)/);
    if (status === 0) expect(lastLine).toMatch(/Judged [1-9]/);
    if (status === 3) expect(lastLine).toContain("nothing was judged");
  },
);
