import { once } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { inTurn } from "../audit/turns.ts";
import { sampleTools } from "../catalog/sample-roles.ts";
import { maxHeldBytes } from "../http/app.ts";
import { startAttacked, type Attacked } from "./attacked.fixture.ts";

/* A long list that is not read holds no more than is counted for it, and one without room is refused with 503. */

/** Rows with details that are read in one go; later ones are read as they are sent. */
const rowsAtOnce = 50;
const list = (pages: number) => `/auth/usage/history/v2?page_size=${pages * rowsAtOnce}&include_details=true`;
const { charged } = sampleTools;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

let server: Attacked;
let account: string;
let key: string;
/** The provider waits, and leaves its account room for the smallest part of a list, not for a page. */
const roomLeft = 300_000;
const asked = Promise.withResolvers<undefined>();
const answered = Promise.withResolvers<undefined>();

beforeAll(async () => {
  server = await startAttacked((parts) => ({
    ...parts,
    providers: {
      async execute(tool, parameters, hold) {
        hold?.(maxHeldBytes / 4 - roomLeft);
        asked.resolve(undefined);
        await answered.promise;
        return parts.providers.execute(tool, parameters);
      },
    },
  }));
  const trial = await server.parts.accounts.registerTrial(null);
  [account, key] = [trial.account.id, trial.apiKey];
  const parameters = Object.fromEntries(["a", "b", "c"].map((name) => [name, name.repeat(2_000)]));
  for (let sent = 0; sent < 3 * rowsAtOnce; sent += 1) {
    await server.ask("POST", "/tools/execute", { token: key, body: { tool_id: "no.such.tool", parameters } });
  }
});

afterAll(() => server.stop());

/** Asks for a list of three pages; `readTo` reads it up to a row. */
function ask() {
  const client = server.connect();
  client.write(`GET /api/v1${list(3)} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  const mark = '"event_type"';
  let rows = 0;
  let rest = "";
  async function readTo(row: number): Promise<void> {
    while (rows < row) {
      const piece = client.read() as Buffer | null;
      if (piece === null) await once(client, "readable");
      else rest += String(piece);
      rows += rest.split(mark).length - 1;
      rest = rest.slice(Math.max(rest.lastIndexOf(mark) + 1, rest.length - mark.length));
    }
  }
  const leave = (): void => void client.destroy();
  onTestFinished(leave);
  return { readTo, leave };
}

function heldNow(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

it("holds no more than is counted", async () => {
  const page = await server.ask("GET", list(1), { token: key });
  const counted = 2 * Buffer.byteLength(page.text);
  const read = async () => ask().readTo(rowsAtOnce + 1);
  await read();
  const before = heldNow();
  const lists = 20;
  for (let n = 0; n < lists; n += 1) await read();
  expect((heldNow() - before) / lists).toBeLessThan(counted);
});

it("is released when its reader leaves, even before its turn to be read", async () => {
  const ends = () => server.logged().split("an answer ended early").length;
  const { readTo, leave } = ask();
  await readTo(1);
  const turn = Promise.withResolvers<undefined>();
  const other = inTurn(account, () => turn.promise);
  await readTo(rowsAtOnce);
  const before = ends();
  leave();
  await expect.poll(ends).toBe(before + 1);
  turn.resolve(undefined);
  await other;
});

it("is refused with 503 if there is no room", async () => {
  const body = { tool_id: charged.id, parameters: charged.parameters };
  const called = server.ask("POST", "/tools/execute", { token: key, body });
  await asked.promise;
  const refused = await server.ask("GET", list(3), { token: key });
  expect(refused).toMatchObject({ status: 503, body: { status: "failure", status_code: 503, data: null } });
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  answered.resolve(undefined);
  expect((await called).status).toBe(200);
});
