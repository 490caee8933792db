import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sampleTools } from "../catalog/sample-roles.ts";
import { OutcomeUnknown, type Connection } from "../storage/connection.ts";
import { connectSqlite } from "../storage/sqlite.ts";
import { startAttacked, type Attacked } from "./attacked.fixture.ts";

let server: Attacked;
let isFull = false;
const connections: Connection[] = [];

/** The page limit at which SQLite reports a full disk. */
async function limit(connection: Connection): Promise<void> {
  const [counted] = await connection.all<{ page_count: number }>("PRAGMA page_count");
  await connection.all(`PRAGMA max_page_count = ${isFull ? counted!.page_count : 1_000_000}`);
}

beforeAll(async () => {
  server = await startAttacked(
    (parts) => parts,
    {},
    async (usual) => {
      const connection = await usual();
      connections.push(connection);
      await limit(connection);
      return connection;
    },
  );
});

afterAll(() => server.stop());

it("a damaged database is named by its file", async () => {
  const folder = await mkdtemp(join(tmpdir(), "damaged-"));
  const path = join(folder, "data.sqlite");
  try {
    await writeFile(path, "no database ".repeat(1_000));
    await expect(connectSqlite(path)).rejects.toThrow(`database file ${path}: `);
  } finally {
    await rm(folder, { recursive: true });
  }
});

it("a full disk refuses writes, lets reads go on, and recovers when there is room again", async () => {
  const { key } = await server.trial();
  const call = () =>
    server.ask("POST", "/tools/execute", {
      token: key,
      body: { tool_id: sampleTools.charged.id, parameters: sampleTools.charged.parameters },
    });
  const price = (await call()).body["cost"] as number;

  isFull = true;
  await limit(connections.at(-1)!);
  const refused: number[] = [];
  const served: unknown[] = [];
  const ready = async (): Promise<unknown> => (await fetch(`${new URL(server.base).origin}/readyz`)).json();
  // Each after a refusal: a sign of life that needs no new page may be written meanwhile, and make the server ready.
  const readiness: unknown[] = [];
  for (let n = 0; n < 60 && refused.length < 5; n += 1) {
    const { status, body } = await call();
    if (status === 200) served.push(body["execution_id"]);
    else {
      refused.push(status);
      readiness.push(await ready());
      expect(body).toMatchObject({ status: "failure", status_code: status, data: null });
    }
  }
  expect(refused.length).toBeGreaterThan(0);
  expect(new Set(refused)).toEqual(new Set([503]));
  expect(readiness).toContainEqual({ status: "unavailable", reason: "The database cannot be written." });
  expect((await server.ask("GET", "/auth/credits", { token: key })).status).toBe(200);

  isFull = false;
  // The writer has closed connections on which a commit failed; the next one it opens finds room.
  await limit(connections.at(-1)!).catch(() => undefined);
  const after = await call();
  expect(await ready()).toEqual({ status: "ready" });
  expect(after).toMatchObject({ status: 200, body: { success: true } });
  const usage = await server.ask("GET", "/auth/usage/history/v2?page_size=500&charge_outcome=charged", {
    token: key,
  });
  const events = (usage.body["data"] as { items: { execution_id: string }[] }).items;
  const answered = [...served, after.body["execution_id"]];
  expect(events.map(({ execution_id }) => execution_id)).toEqual(expect.arrayContaining(answered));
  expect(events).toHaveLength(answered.length + 1);
  // The hold of a call that could not be settled is released, with an event that says so.
  await expect
    .poll(async () => (await server.ask("GET", "/auth/credits", { token: key })).body["data"], {
      timeout: 10_000,
    })
    .toMatchObject({ remaining_credits: 50 - price * events.length });
});

it("a settlement that cannot be written is released again, and no one is charged", async () => {
  const { key } = await server.trial();
  const { books } = server.parts;
  const settle = books.settle.bind(books);
  let failing = 2;
  books.settle = (...given) => (failing-- > 0 ? Promise.reject(new Error("SQLITE_FULL")) : settle(...given));
  const call = await server.ask("POST", "/tools/execute", {
    token: key,
    body: { tool_id: sampleTools.charged.id, parameters: sampleTools.charged.parameters },
  });
  expect(call).toMatchObject({ status: 500, body: { status: "failure" } });
  await expect
    .poll(async () => (await server.ask("GET", "/auth/usage/history/v2", { token: key })).body["data"], {
      timeout: 10_000,
    })
    .toMatchObject({
      total: 1,
      items: [{ charge_outcome: "failed_not_charged", reason_code: "transport.execution_failed" }],
    });
  const credits = await server.ask("GET", "/auth/credits", { token: key });
  expect(credits.body["data"]).toMatchObject({ remaining_credits: 50 });
});

it("a hold that may or may not have been written is released, and no one is charged for the call", async () => {
  const { key } = await server.trial();
  const { books } = server.parts;
  const hold = books.hold.bind(books);
  books.hold = async (...given) => {
    books.hold = hold;
    await hold(...given);
    throw new OutcomeUnknown("whether the write took effect is not known");
  };
  const call = await server.ask("POST", "/tools/execute", {
    token: key,
    body: { tool_id: sampleTools.charged.id, parameters: sampleTools.charged.parameters },
  });
  expect(call).toMatchObject({ status: 503, body: { status: "failure", status_code: 503 } });
  expect(call.body["message"]).toContain("usage audit");
  await expect
    .poll(async () => (await server.ask("GET", "/auth/usage/history/v2", { token: key })).body["data"], {
      timeout: 10_000,
    })
    .toMatchObject({ total: 1, items: [{ charge_outcome: "failed_not_charged" }] });
  const credits = await server.ask("GET", "/auth/credits", { token: key });
  expect(credits.body["data"]).toMatchObject({ remaining_credits: 50 });
});
