import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { billingMutants } from "../../load/billing-mutants.fixture.ts";
import { ranHere } from "../../cli/in-process.fixture.ts";
import type { Exchange } from "../judge/exchange.ts";
import { forwarding } from "../server/forwarding.fixture.ts";
import { csvRows } from "../books/csv.ts";
import { writeHar } from "../traffic/write-har.ts";
import { openBooked, reconciled as reconciledBy, type Booked } from "./booked.fixture.ts";
import { anomaliesCsv, headline, isBroken, reconciliationOf } from "./reconciliation.ts";
import { Recorded } from "./recording.ts";
import type { Reconciled } from "./reconcile.ts";
import type { State } from "./state.ts";
import { openingsIn } from "./window-reads.ts";

/** The history takes several slices. */
const [events, sliceRows] = [500, 300];

const folder = mkdtempSync(join(tmpdir(), "capability-contract-reconcile-"));
let booked: Booked;
beforeAll(async () => void (booked = await openBooked(events)), 60_000);
afterAll(async () => {
  await booked.close();
  rmSync(folder, { recursive: true, force: true });
});

const reconciled: typeof reconciledBy = (profile, key, options) =>
  reconciledBy({ ...profile, audit_lag: 0.2 }, key, { sliceRows, ...options });

/** Books without a fault, on a server of their own. */
const faultless = {};

const fault = (name: string) => billingMutants.find((mutant) => mutant.name === name)!.change;

/** Runs the verb with the key in its environment. */
async function verb(args: readonly string[], key = ""): Promise<{ status: number; said: string }> {
  vi.stubEnv("API_KEY", key);
  const { status, stdout, stderr } = await ranHere("reconcile", ...args);
  return { status, said: stdout + stderr };
}

it("finds nothing in right books, checks every read against the lists, and sends only GETs", async () => {
  const { profile } = await booked.acted(faultless);
  const methods = new Set<string | undefined>();
  const server = await forwarding(profile.base_url, (body, { method }) => {
    methods.add(method);
    return body;
  });
  const done = await reconciled({ ...profile, base_url: server.baseUrl }, booked.key);
  await server.close();
  expect(done.anomalies.kept).toEqual([]);
  expect(done.events).toBeGreaterThan(events);
  expect(done.held.map(({ what, why }) => [what, why])).toEqual(
    [
      "usage export",
      "ledger export",
      "usage feed",
      "settlement history",
      "usage summary",
      "ledger summary",
      "credits spent",
      "balance",
    ].map((what) => [what, null]),
  );
  expect([...methods]).toEqual(["GET"]);
}, 120_000);

it("reports each charge that was entered twice, with the ids that support asks for and its clause", async () => {
  const { profile } = await booked.acted(fault("enters charges twice"));
  const report = reconciliationOf(profile.base_url, await reconciled(profile, booked.key));
  expect(isBroken(report, false)).toBe(true);
  expect(headline(report)).toMatch(/^\d+ anomalies in/);
  const [header, ...rows] = csvRows(anomaliesCsv(report));
  const row = rows.map((cells) => Object.fromEntries(header!.map((name, at) => [name, cells[at]])));
  expect(row.find(({ kind }) => kind === "charged-twice")).toMatchObject({
    clause: "BILL-12",
    level: "must",
    execution_id: expect.stringMatching(/^exec_/),
    search_id: expect.stringMatching(/^search-/),
    session_id: expect.stringMatching(/^session-/),
    tool_id: expect.stringMatching(/\.v1$/),
    settled_credits: expect.stringMatching(/^0\.\d/),
    moved_credits: expect.stringMatching(/^-0\.\d/),
  });
}, 120_000);

it("asks for details if a server shows ids only with them", async () => {
  const { profile } = await booked.acted(fault("enters charges twice"));
  const server = await forwarding(profile.base_url, (body, { url }) =>
    url!.includes("include_details") ? body : body.replaceAll(/"search_id":("[^"]*"|null),/g, ""),
  );
  const done = await reconciled({ ...profile, base_url: server.baseUrl }, booked.key);
  await server.close();
  const ids = done.anomalies.kept.map(({ search_id: id }) => id);
  expect(ids).toContainEqual(expect.stringMatching(/^search-/));
}, 120_000);

it("continues where it was interrupted, and ends the same", async () => {
  const { profile } = await booked.acted(fault("enters other amounts than it settles"));
  const to = Date.now() + 60_000;
  const whole = await reconciled(profile, booked.key, { to });
  const stop = new AbortController();
  let state: State | undefined;
  const part = await reconciled(profile, booked.key, {
    to,
    signal: stop.signal,
    onState: async (at) => {
      // As a file would hold it.
      state = JSON.parse(JSON.stringify(at())) as State;
      stop.abort();
    },
  });
  expect(part.interrupted).toBe(true);
  const unread = part.held.filter(({ why }) => why?.includes("interrupted")).map(({ what }) => what);
  expect(unread).toEqual(["usage summary", "ledger summary", "credits spent", "balance"]);
  expect(part.events).toBeLessThan(whole.events);
  const rest = await reconciled(profile, booked.key, { to, state });
  expect(rest.events).toBe(whole.events);
  expect(Object.fromEntries(rest.anomalies.counts)).toEqual(Object.fromEntries(whole.anomalies.counts));
  expect(rest.held).toEqual(whole.held);
  expect(rest.balances).toEqual(whole.balances);
}, 120_000);

it("checks a recording of one's own traffic against the charges", async () => {
  const { profile, exchanges } = await booked.acted(faultless);
  const calls = exchanges.filter(
    ({ operation, response }) => operation === "call" && response?.status === 200,
  );
  const file = join(folder, "calls.har");
  const succeeded = calls.filter(({ response }) => response!.body.includes('"success":true'));
  const changed = (index: number, from: string, to: string): Exchange => {
    const exchange = structuredClone(succeeded[index]!);
    exchange.response!.body = exchange.response!.body.replace(from, to);
    return exchange;
  };
  const lost = { ...succeeded[0]!, response: null, error: "socket hang up" };
  const strange = changed(1, '"execution_id":"', '"execution_id":"x');
  const wrong = changed(2, '"success":true', '"success":false');
  const others = calls.filter((call) => !succeeded.slice(0, 3).includes(call));
  await writeHar(file, [lost, strange, wrong, ...others]);
  const recorded = await Recorded.read(file, profile.base_url, booked.key);
  const done = await reconciled(profile, booked.key, { recorded });
  expect(Object.fromEntries(done.anomalies.counts)).toEqual({
    "answered-otherwise": 1,
    "call-without-event": 1,
  });
  expect(done.recording).toMatchObject({ calls: others.length + 2, found: others.length + 1, lost: 1 });
}, 120_000);

it("asks for an event of a recorded Call only if it is the account's own, and its answer shows no cost of 0", async () => {
  const { profile, exchanges } = await booked.acted(faultless);
  const call = exchanges.find(
    ({ operation, response }) => operation === "call" && response?.body.includes('"success":true'),
  )!;
  const withCall = async (more: object, isKeyless = false) => {
    const exchange = structuredClone(call);
    if (isKeyless) delete exchange.request.headers["authorization"];
    exchange.response!.body = JSON.stringify({ success: true, execution_id: "unheard of", ...more });
    const file = join(folder, "call.har");
    await writeHar(file, [exchange]);
    const recorded = await Recorded.read(file, profile.base_url, booked.key);
    const { anomalies, held } = await reconciled(profile, booked.key, { recorded });
    return [...anomalies.counts.keys(), ...held.flatMap(({ why }) => why ?? [])];
  };
  expect(await withCall({})).toEqual(["call-without-event"]);
  expect(await withCall({ credits_used: 1, cost: 0 })).toEqual(["call-without-event"]);
  expect(await withCall({ cost: 0 })).toEqual([]);
  expect(await withCall({}, true)).toEqual([expect.stringContaining("keep the header Authorization")]);
}, 120_000);

it("begins with the first row whatever the totals say, and reads the newest once they are final", async () => {
  const { profile } = await booked.acted(faultless);
  const server = await forwarding(profile.base_url, (body) =>
    body.replaceAll(/"total":(\d+)/g, (_, total) => `"total":${Number(total) + 1}`),
  );
  const [right, high, patient] = [
    await reconciled(profile, booked.key),
    await reconciled({ ...profile, base_url: server.baseUrl }, booked.key),
    await reconciled(profile, booked.key, { settlesMs: 1_500 }),
  ];
  await server.close();
  expect(high.events).toBe(right.events);
  expect(high.anomalies.counts.has("events-counted-otherwise")).toBe(true);
  expect(patient.events).toBe(right.events);
  expect(patient.anomalies.kept).toEqual([]);
}, 120_000);

it("adds all entries up to the balance, and says what it did not compare", async () => {
  const { profile } = await booked.acted(faultless);
  const withBalance = async (
    shown: (left: number) => number,
    options: Parameters<typeof reconciled>[2] = {},
    more = 0,
  ): Promise<Reconciled> => {
    const server = await forwarding(profile.base_url, (body) =>
      body
        .replaceAll(
          /"remaining_credits":([\d.]+)/g,
          (_, left) => `"remaining_credits":${shown(Number(left))}`,
        )
        .replaceAll(/"total":(\d+)/g, (_, total) => `"total":${Number(total) + more}`),
    );
    const done = await reconciled({ ...profile, base_url: server.baseUrl }, booked.key, options);
    await server.close();
    return done;
  };
  const [held, high] = [await withBalance((left) => left - 5), await withBalance((left) => left + 5)];
  expect([...held.anomalies.counts.keys()]).toEqual(["held-at-rest"]);
  expect(held.anomalies.kept[0]!.fact?.note).toContain("nothing moved for 0.3 s");
  expect([...high.anomalies.counts.keys()]).toEqual(["more-left-at-rest"]);
  expect(isBroken(reconciliationOf(profile.base_url, held), false)).toBe(true);
  // An entry that came after the others were added up.
  const late = await withBalance((left) => left - 5, {}, 1);
  expect(late.anomalies.counts.has("held-at-rest")).toBe(false);
  expect(late.anomalies.counts.has("balance-differs")).toBe(true);
  const interrupt = new AbortController();
  const interrupted = await withBalance((left) => left - 5, {
    signal: interrupt.signal,
    onProgress: (text) => void (text.includes("balance differs") && interrupt.abort()),
  });
  expect(interrupted).toMatchObject({ interrupted: true, anomalies: { kept: [] } });
  let reads = 0;
  const moving = await withBalance((left) => left - (reads += 1));
  const until = await reconciled(profile, booked.key, { to: Date.now() + 60_000 });
  expect(moving.anomalies.kept).toEqual([]);
  const whyOf = ({ held }: Reconciled) => held.find(({ what }) => what === "balance")?.why;
  expect(whyOf(interrupted)).toContain("has not stood still");
  expect(whyOf(moving)).toContain("has not stood still");
  expect(whyOf(until)).toContain("--to");
}, 120_000);

it("fails credits without an entry, between two of them or since the newest, unless a category shows them", async () => {
  const { profile } = await booked.acted(faultless);
  const withLedger = async (
    change: (entry: Record<string, unknown>) => object,
    left: (credits: number) => number | string = (credits) => credits,
  ): Promise<string[]> => {
    const server = await forwarding(profile.base_url, (body, { url }) => {
      if (url!.includes("/auth/credits?") || url!.endsWith("/auth/credits"))
        return body.replace(
          /"remaining_credits":([\d.]+)/,
          (_, credits) => `"remaining_credits":${left(Number(credits))}`,
        );
      if (!url!.includes("/auth/credits/ledger?")) return body;
      const answer = JSON.parse(body) as { data: { items: Record<string, unknown>[] } };
      const { data } = answer;
      const items = data.items.map((entry) => ({ ...entry, ...change(entry) }));
      return JSON.stringify({ ...answer, data: { ...data, items } });
    });
    const done = await reconciled({ ...profile, base_url: server.baseUrl }, booked.key);
    await server.close();
    return done.anomalies.kept.map(({ kind, level }) => `${level} ${kind}`);
  };
  const lower = (balance: unknown): object => ({
    total_available_credits: (balance as { total_available_credits: number }).total_available_credits - 5,
  });
  const acted = Date.now() - 600_000;
  const came = ({
    created_at: at,
    balance_before: before,
    balance_after: after,
  }: Record<string, unknown>): object =>
    Date.parse(String(at)) > acted ? {} : { balance_before: lower(before), balance_after: lower(after) };
  const unchained = "should balances-do-not-chain";
  expect(await withLedger(came)).toEqual([unchained, "must more-left-at-rest"]);
  expect(await withLedger(came, (credits) => `${credits},"daily":{"left":5}`)).toEqual([unchained]);
  const since = (): object => ({});
  expect(await withLedger(since, (credits) => credits + 5)).toEqual(["must more-left-at-rest"]);
  const daily = (credits: number): string => `${credits + 5},"daily":{"left":5}`;
  expect(await withLedger(since, daily)).toEqual(["should balance-differs"]);
  const purchased = (credits: number): string => `${credits + 5},"purchased":{"left":5}`;
  expect(await withLedger(since, purchased)).toEqual(["must more-left-at-rest"]);
}, 120_000);

it("takes the balance before the ledger from any entry of its first moment", () => {
  const entry = (before: number, amount_credits: number, at = "2026-11-20T12:00:00Z") => ({
    amount_credits,
    balance_before: { total_available_credits: before },
    balance_after: { total_available_credits: before + amount_credits },
    created_at: at,
  });
  expect(openingsIn([])).toEqual([]);
  expect(openingsIn([entry(10, 5), entry(0, 10), entry(15, 1, "2026-11-20T12:00:01Z")])).toEqual([0]);
  expect(openingsIn([{ ...entry(5, 10), balance_after: { total_available_credits: 10 } }])).toEqual([5, 0]);
  expect(openingsIn([{ amount_credits: 10, created_at: "2026-11-20T12:00:00Z" }])).toEqual([]);
});

it("ends with 3 where there is nothing to judge", async () => {
  const {
    profile: { base_url: url },
  } = await booked.acted(faultless);
  const empty = await verb(["--base-url", url, "--from", "2001-01-01", "--to", "2001-01-02"], booked.key);
  expect(empty).toMatchObject({ status: 3, said: expect.stringContaining("Nothing was judged") });
  expect(empty.said).toMatch(/Unverified: nothing was judged; \d not judged, \d of them because /);
}, 120_000);

it("ends with the status of its result, and writes what was asked for", async () => {
  const {
    profile: { base_url: url },
  } = await booked.acted(fault("loses ledger entries of charges"));
  const [json, html, csv] = ["r.json", "r.html", "r.csv"].map((name) => join(folder, name));
  const flags = ["--base-url", url, "--to", "2099-01-01"];
  const found = await verb([...flags, "--json", json!, "--html", html!, "--csv", csv!], booked.key);
  const keyless = await verb(flags);
  const wrongKey = await verb(flags, "cc_live_wrong");
  const closed = await verb(["--base-url", "http://127.0.0.1:9/api/v1"], booked.key);
  const backwards = await verb([...flags, "--from", "2099-02-01"], booked.key);
  expect(found).toMatchObject({ status: 1, said: expect.stringContaining("LEDG-15") });
  for (const file of [json!, html!, csv!]) {
    expect(readFileSync(file, "utf8")).not.toContain(booked.key);
  }
  expect(JSON.parse(readFileSync(json!, "utf8"))).toMatchObject({ target: url, interrupted: false });
  expect(keyless).toMatchObject({ status: 2, said: expect.stringContaining("API_KEY") });
  expect(wrongKey).toMatchObject({ status: 2, said: expect.stringContaining("refuses the key") });
  expect(closed).toMatchObject({ status: 3, said: expect.stringContaining("cannot be") });
  expect(backwards).toMatchObject({
    status: 2,
    said: expect.stringContaining("--from must be before --to"),
  });
}, 120_000);
