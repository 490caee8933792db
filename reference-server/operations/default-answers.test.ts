import { afterAll, beforeAll, expect, it } from "vitest";
import { startAttacked, type Attacked } from "../attacks/attacked.fixture.ts";
import { sampleTools } from "../catalog/sample-roles.ts";
import { createProviders } from "../providers/client.ts";
import { heldClock } from "../storage/temporary.fixture.ts";

/*
 * The default answers, byte for byte as earlier releases gave them (contract: Versioning), except for ids. A
 * release that has to change a file in default-answers/ breaks this promise.
 */

let server: Attacked;

beforeAll(async () => {
  const clock = heldClock();
  server = await startAttacked((parts) => ({
    ...parts,
    clock,
    providers: createProviders({ clock }),
  }));
});
afterAll(() => server.stop());

const { id, parameters } = sampleTools.charged;

it.each([
  ["discover", "/search", { query: "weather", limit: 2 }, { view: "full" }],
  ["inspect", "/tools/by-ids", { tool_ids: [sampleTools.enum.id] }, { view: "full" }],
  ["call", "/tools/execute", { tool_id: id, parameters }, { respond_with: "full" }],
])("%s answers by default as before, and as when full is requested", async (name, path, body, full) => {
  const ask = async (asked: object) => {
    const account = (await server.trial()).key;
    const { text } = await server.ask("POST", path, { token: account, body: asked });
    return text.replace(/(?<=(exec|srch)_)[0-9a-f]+/g, "…");
  };
  const text = await ask(body);
  expect(await ask({ ...body, ...full })).toBe(text);
  await expect(text).toMatchFileSnapshot(`default-answers/${name}.txt`);
});
