import { randomInt, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { operationIds, operations, type OperationId } from "../../../generated/contract.ts";
import { databaseProxy, type DatabaseProxy } from "./database-proxy.ts";
import { startAttacked, type Attacked } from "../../../reference-server/attacks/attacked.fixture.ts";
import { sampleCapabilities, sampleTools } from "../../../reference-server/catalog/sample-roles.ts";
import { micro } from "../../../reference-server/billing/money.ts";
import { Unavailable } from "../../../reference-server/storage/connection.ts";
import { temporarySchema } from "../../../reference-server/storage/temporary.fixture.ts";
import { beginHistory, checkBooks, granted, type Driven } from "./accounts.ts";
import { drive } from "./drive.ts";
import { seeded } from "../../../base/seeded.ts";

const real = process.env["TEST_DATABASE_URL"];
const where =
  real === undefined ? "skipped: TEST_DATABASE_URL=postgres://… is not set" : "at TEST_DATABASE_URL";

describe.skipIf(real === undefined)(`a Postgres that goes and comes (${where})`, () => {
  let schema: Awaited<ReturnType<typeof temporarySchema>>;
  let proxy: DatabaseProxy;
  let server: Attacked;
  let key: string;

  beforeAll(async () => {
    schema = await temporarySchema(real!);
    proxy = await databaseProxy(schema.url);
    server = await startAttacked((parts) => parts, { databaseUrl: proxy.url });
    key = (await openRich()).key;
  });

  afterAll(async () => {
    await server.stop();
    await proxy.close();
    await schema.remove();
  });

  async function openRich(): Promise<{ key: string }> {
    const { accounts, books } = server.parts;
    const { id } = await accounts.create({ name: "driven", email: null });
    const grant = { entryType: "grant_payment_recharge", description: "test" } as const;
    await books.move({ accountId: id, amount: micro(granted), ...grant });
    return { key: (await accounts.addKey(id, "driven")).apiKey };
  }

  const openDriven = async (): Promise<Driven> =>
    beginHistory(server.base, [{ account: "driven", keyName: "key 1", ...(await openRich()) }]);

  const { charged } = sampleTools;
  const call = () =>
    server.ask("POST", "/tools/execute", {
      token: key,
      body: { tool_id: charged.id, parameters: charged.parameters },
    });

  /** The request that makes an operation reach the database. */
  const sent: Partial<Record<OperationId, object>> = {
    discover: { query: "weather" },
    inspect: { tool_ids: [charged.id] },
    probe: { checks: ["quote"] },
    call: { tool_id: charged.id, parameters: charged.parameters },
    queryCapability: { capability_id: sampleCapabilities.query.id, parameters: {}, max_credits: 9 },
    startClaim: { claim_code: "claim_unknown", email: "a@example.com" },
    verifyClaim: { claim_code: "claim_unknown", email: "a@example.com", code: "123456" },
  };

  /** Sends each operation once, with everything it needs. */
  const everything = operationIds.map((id): [string, string, object?] => {
    const { method, path } = operations[id];
    const query = id === "probe" ? `?tool_id=${charged.id}` : "";
    const address = path
      .replace("{capability_id}", sampleCapabilities.detail.id)
      .replace(/\{\w+\}/, randomUUID());
    return [method, address + query, method === "POST" ? (sent[id] ?? {}) : undefined];
  });

  const ready = async (): Promise<number> => (await fetch(`${new URL(server.base).origin}/readyz`)).status;

  it("answers 503 at every operation while it is down, and serves again without a restart", async () => {
    expect((await call()).status).toBe(200);
    proxy.down();
    const refused = await Promise.all(
      everything.map(async ([method, path, body]) => {
        const { status, headers, body: answer } = await server.ask(method, path, { token: key, body });
        return [`${method} ${path}`, status, answer["status"], Number(headers.get("retry-after")) >= 1];
      }),
    );
    expect(refused).toEqual(everything.map(([method, path]) => [`${method} ${path}`, 503, "failure", true]));
    expect(await ready()).toBe(503);
    expect((await fetch(`${new URL(server.base).origin}/healthz`)).status).toBe(200);

    proxy.up();
    await expect.poll(ready).toBe(200);
    expect(await call()).toMatchObject({ status: 200, body: { success: true } });
  });

  /** A server that gives a database less time to answer, so that a test need not wait as long. */
  const impatiently = async (use: (server: Attacked) => Promise<void>): Promise<void> => {
    const impatient = await startAttacked((parts) => parts, {
      databaseUrl: `${proxy.url}&query_timeout=3000`,
    });
    try {
      await use(impatient);
    } finally {
      proxy.resume();
      await impatient.stop();
    }
  };

  it("refuses clients that wait too long for a database that hangs, and answers those that waited less", () =>
    impatiently(async (server) => {
      const credits = () => server.ask("GET", "/auth/credits", { token: key });
      await credits();
      proxy.stall();
      const refused = await credits();
      expect(refused).toMatchObject({ status: 503, body: { message: expect.stringContaining("database") } });
      proxy.resume();
      expect((await credits()).status).toBe(200);
      proxy.stall();
      const waiting = credits();
      proxy.resume();
      expect((await waiting).status).toBe(200);
    }));

  it("neither loses nor doubles a call whose COMMIT was lost, or taken without an answer", async () => {
    const seed = randomInt(2 ** 32);
    console.info(`COMMITs cut, seed ${seed}`);
    const choices = seeded(seed);
    const driven = await openDriven();
    const fates = { lost: 0, unanswered: 0, passes: 0 };
    proxy.onCommit = () => {
      const fate = choices.pick(["lost", "unanswered", "passes", "passes", "passes"] as const);
      fates[fate] += 1;
      return fate;
    };
    let calls = 0;
    const { answered } = await drive(server.base, driven, seeded(seed), {
      label: () => "cut",
      last: () => (calls += 1) > 60,
    });
    proxy.onCommit = () => "passes";
    expect(fates.lost).toBeGreaterThan(0);
    expect(fates.unanswered).toBeGreaterThan(0);
    await expect
      .poll(async () => (await checkBooks(server.base, driven)).broken, { timeout: 20_000 })
      .toEqual([]);
    expect(answered).toBeGreaterThan(0);
  });

  it("loses nothing where it goes and comes during calls", async () => {
    const seed = randomInt(2 ** 32);
    console.info(`database down, seed ${seed}`);
    const driven = await openDriven();
    let calls = 0;
    const { answered, calls: sent } = await drive(server.base, driven, seeded(seed), {
      label: () => "down",
      last() {
        calls += 1;
        if (calls % 40 === 15) proxy.down();
        if (calls % 40 === 25) proxy.up();
        if (calls % 40 === 35) proxy.cut();
        return calls > 160;
      },
    });
    proxy.up();
    await expect
      .poll(async () => (await checkBooks(server.base, driven)).broken, { timeout: 30_000 })
      .toEqual([]);
    expect(answered).toBeGreaterThan(0);
    expect(answered).toBeLessThan(sent);
  });

  it("gives up on a Postgres that hangs, and has written nothing that it refused", () =>
    impatiently(async (server) => {
      const { accounts, books } = server.parts;
      const { id } = await accounts.create({ name: "hung", email: null });
      const grant = { accountId: id, entryType: "grant_payment_recharge", description: "hung" } as const;
      await books.move({ ...grant, amount: 1 });
      proxy.stall();
      await expect(books.move({ ...grant, amount: 2 })).rejects.toBeInstanceOf(Unavailable);
      proxy.resume();
      await expect
        .poll(() => books.move({ ...grant, amount: 4 }).then(() => true), { timeout: 30_000 })
        .toBe(true);
      expect(await books.balance(id)).toMatchObject({ available: 5 });
    }));
});
