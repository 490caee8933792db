import { randomInt } from "node:crypto";
import { expect, it, vi } from "vitest";
import { withTemporaryFolder } from "../../../base/temporary-folder.ts";
import { defaultConfig } from "../../../reference-server/config.ts";
import { startProcess } from "../started.ts";
import { checkBooks, killConfig, openAccounts } from "./accounts.ts";
import { drive } from "./drive.ts";
import { seeded } from "../../../base/seeded.ts";
import { killRounds } from "./rounds.ts";

// Many rounds, and three servers, any of which is killed: kill.proof.ts.
it("keeps every promise of a server that is killed at any moment", async () => {
  const seed = randomInt(2 ** 32);
  console.info(`kill test, seed ${seed}: npm run kill -- --rounds 1 --seed ${seed}`);
  const rounds = await killRounds({ rounds: 1, seed });
  expect(rounds.flatMap(({ broken }) => broken)).toEqual([]);
  expect(rounds).toHaveLength(1);
});

it("compares the answers to clients with the books", () =>
  withTemporaryFolder(async (dataFolder) => {
    const config = killConfig({ ...defaultConfig, dataFolder });
    const server = await startProcess(new URL("../server.ts", import.meta.url), [JSON.stringify(config)]);
    const { baseUrl } = server.said;
    const driven = await openAccounts(config, baseUrl);
    let calls = 0;
    const { history } = driven;
    const take = vi.spyOn(history, "take");
    await drive(baseUrl, driven, seeded(1), { label: () => "call", last: () => (calls += 1) >= 30 });
    const taken = take.mock.calls.find(([{ response }]) => response?.body.includes('"success":true'));
    expect((await checkBooks(baseUrl, driven)).broken).toEqual([]);
    const [exchange, when] = taken!;
    const body = exchange.response!.body.replace("exec_", "exec_lost");
    const request = { ...exchange.request, body: exchange.request.body!.replace("call-", "other-") };
    history.take({ ...exchange, request, response: { ...exchange.response!, body } }, when);
    const { broken } = await checkBooks(baseUrl, driven);
    expect(broken).toEqual([expect.stringContaining("an executed Call has no usage event")]);
    await server.stop();
  }));
