import { afterAll, beforeAll, expect, it } from "vitest";
import { unlimitedQuotas } from "../../reference-server/unlimited.fixture.ts";
import { onAnswers, onHeaders, onPath, together, withStatus } from "../changes/mutant.ts";
import { causesOf } from "../report/causes.ts";
import { openStage, type Stage } from "../proof/stage.ts";
import { checks } from "../suite/checks.ts";
import { rules } from "../suite/rules.ts";
import { run } from "./run.ts";
import { check } from "./check.ts";
import { select } from "./select.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

it("does not apply a rule to a server that declares its feature off", async () => {
  const silent = onHeaders(() => true, { "X-RateLimit-Limit": undefined });
  const judged = (features: Record<string, string>): Promise<string[]> =>
    stage.perform(silent, async (profile) => {
      const { findings } = await run(
        { ...profile, features },
        { ...select(checks, rules, ["DISC-01", "LIMI-21"]), fast: true },
      );
      return findings.filter(({ clauses }) => clauses.includes("LIMI-21")).map(({ verdict }) => verdict);
    });
  expect(await judged({})).toEqual(["warn"]);
  expect(await judged({ rate_limits: "none yet" })).toEqual(["not_applicable"]);
});

it("asks for a path that does not exist, to recognise an operation that is not implemented", async () => {
  const isIt = ({ operation }: { operation: string | null }): boolean => operation === "verifyClaim";
  const change = together(
    { inward: (request) => (isIt(request) ? { path: "/not-there" } : null) },
    onAnswers((_, { status }) => status === 404, withStatus(400)),
  );
  const { checks: chosen } = select(checks, rules, ["TRIA-21"]);
  const judged = await stage.perform(change, (profile) => run(profile, { checks: chosen, rules: [] }));
  expect(causesOf(judged.findings, judged).map(({ what }) => what)).toEqual([
    "POST /agent/claim-verify answers 400 to everything",
  ]);
});

it("shares the trials it has with --fast where no more can be registered, and omits the checks that register", async () => {
  const registrations = 3;
  const change = {
    config: {
      quotas: { ...unlimitedQuotas, anonymous: registrations },
      windowSeconds: 36_000,
      windowKind: "first-request",
    },
  } as const;
  const borrowing = Array.from({ length: 30 }, (_, index) =>
    check("INSP-01", `inspect ${index}`, async ({ account, expect }) => {
      expect(await account.inspect([account.knownTool])).toHaveStatus(200);
    }),
  );
  const registering = check("TRIA-01", "register", async ({ stranger, expect }) => {
    for (let trial = 0; trial <= registrations; trial += 1)
      expect(await stranger.ask("registerAnonymous", { body: {} })).toHaveStatus(200);
  });
  const { findings } = await stage.perform(change, ({ clock: _, ...profile }) =>
    run(
      { ...profile, credentials: { pool: [] } },
      { checks: [...borrowing, registering], rules: [], fast: true },
    ),
  );
  const passed = borrowing.map(() => "pass");
  expect(findings.map(({ verdict, reason }) => reason ?? verdict).toSorted()).toEqual([
    "left out by --fast",
    ...passed,
  ]);
});

it("does not hang with --fast where checks that want two trials hold all that can be registered", async () => {
  const change = {
    config: {
      quotas: { ...unlimitedQuotas, anonymous: 8 },
      windowSeconds: 36_000,
      windowKind: "first-request",
    },
  } as const;
  const pairs = Array.from({ length: 20 }, (_, index) =>
    check("ACCT-10", `pair ${index}`, { needs: ["other_account"] }, async ({ account, other, expect }) => {
      await account.inspect([account.knownTool]);
      expect((await other()).key).not(account.key);
    }),
  );
  const { findings } = await stage.perform(change, ({ clock: _, ...profile }) =>
    run({ ...profile, credentials: { pool: [] } }, { checks: pairs, rules: [], fast: true }),
  );
  expect(findings.map(({ verdict, reason }) => reason ?? verdict)).toEqual(pairs.map(() => "pass"));
});

it("waits with --fast for further trials where the credits of those it has leave out many checks", async () => {
  const change = { config: { quotas: { ...unlimitedQuotas, anonymous: 5 }, windowSeconds: 3 } } as const;
  const costly = Array.from({ length: 6 }, (_, index) =>
    check("INSP-01", `costly ${index}`, { credits: 50 }, async ({ account, profile, expect }) => {
      for (let call = 0; call < 25; call += 1)
        await account.call({ parameters: {}, ...profile.tools.charged! });
      expect(await account.inspect([account.knownTool])).toHaveStatus(200);
    }),
  );
  const { findings } = await stage.perform(change, ({ clock: _, ...profile }) =>
    run({ ...profile, credentials: { pool: [] } }, { checks: costly, rules: [], fast: true }),
  );
  expect(findings.map(({ verdict, reason }) => reason ?? verdict)).toEqual(costly.map(() => "pass"));
});

it("uses up the quotas of both accounts, and with --fast omits the few checks without a quota left", async () => {
  const quota = 10;
  // Aligned windows sometimes end within the budget of waiting.
  const windows = { windowSeconds: 36_000, windowKind: "first-request" } as const;
  const change = { config: { quotas: { ...unlimitedQuotas, probe: quota }, ...windows } };
  const probes = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      check("PROB-01", `probe ${index}`, async ({ account, expect }) => {
        expect(await account.probe(account.knownTool)).toHaveStatus(200);
      }),
    );
  const judged = (count: number): Promise<(string | null)[]> =>
    stage.perform(change, async (profile) => {
      const { account, pool } = profile.credentials;
      const credentials = { account, pool: pool.slice(0, 1) };
      const { clock: _, ...rest } = profile;
      const given = { ...rest, credentials, features: { trial: "none" } };
      const { findings } = await run(given, { checks: probes(count), rules: [], fast: true });
      return findings.map(({ verdict, reason }) => reason ?? verdict).toSorted();
    });
  const passed = Array.from({ length: 2 * quota }, () => "pass");
  expect(await judged(2 * quota + 2)).toEqual(["left out by --fast", "left out by --fast", ...passed]);
  const waited = (await judged(3 * quota)).at(-1);
  expect(waited).toMatch(/^the run's budget of waiting/);
});

it("blocks the comparison with an entry that a read by its id does not show", async () => {
  const id = "LEDG-18/an-entry-read-by-its-id-agrees-with-the-list";
  const { findings } = await stage.perform(
    onPath("getLedgerEntry", "data", () => undefined),
    (profile) => run(profile, { ...select(checks, [], [id]) }),
  );
  expect(findings.map(({ verdict, reason }) => [verdict, reason])).toEqual([
    ["blocked", "data is not an entry"],
  ]);
});
