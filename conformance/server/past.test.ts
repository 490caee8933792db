import { expect, it } from "vitest";
import { Answer } from "../judge/answer.ts";
import type { Exchange } from "../judge/exchange.ts";
import { operationOf } from "../judge/operations.ts";
import { Account } from "./account.ts";
import type { Outgoing } from "./client.ts";
import { Past } from "./past.ts";
import { defaultProfile } from "./profile.ts";
import { Secrets } from "./secrets.ts";
import { Session } from "./session.ts";

/** The requests to a server that shows every Inspect in the audit immediately. */
const asked: string[] = [];
const events: object[] = [];
const client = {
  roundTrip: 1,
  async send({ method, path, body, account = null }: Outgoing): Promise<Answer> {
    asked.push(path.replace(/\?.*/, ""));
    const { session_id } = JSON.parse(body ?? "{}") as { session_id?: string };
    if (path === "/tools/by-ids") events.unshift({ event_type: "search_by_ids", session_id });
    const answered =
      method === "GET" ? { data: { items: events } } : { search_id: "one", remaining_credits: 5 };
    const text = JSON.stringify(answered);
    const exchange: Exchange = {
      operation: operationOf(method, path.replace(/\?.*/, "")),
      account,
      started_at: Date.now(),
      duration_ms: 1,
      request: { method, url: path, headers: {}, body: body ?? null },
      response: { status: 200, headers: {}, body: text },
      error: null,
    };
    return new Answer(200, {}, text, exchange);
  },
};

const past = new Past();
const lent = (): Account => {
  const session = new Session(client as never, new Secrets());
  return new Account(session, defaultProfile("http://127.0.0.1:9/api/v1"), "key", "account 1", past);
};
/** How many Inspects some work sends. */
async function inspectsOf(work: () => Promise<unknown>): Promise<number> {
  asked.length = 0;
  await work();
  return asked.filter((path) => path === "/tools/by-ids").length;
}

it("marks the audit once for what an account has done, however many wait for it", async () => {
  const first = lent();
  expect(await inspectsOf(() => first.settled())).toBe(1);
  expect(await inspectsOf(() => first.settled())).toBe(0);
  await first.usage();
  first.leave();
  const second = lent();
  expect(await inspectsOf(() => second.settled())).toBe(0);
  await second.probe("tool");
  expect(await inspectsOf(() => second.settled())).toBe(1);
  expect(await inspectsOf(() => second.credits())).toBe(1);
  expect(await inspectsOf(() => second.settled())).toBe(0);
  second.leave();
});

it("marks it again after a request with a key that may be of the same account", async () => {
  const account = lent();
  await account.settled();
  await account.withAuthorization("Bearer another").ask("discover", { body: { query: "data" } });
  expect(await inspectsOf(() => account.settled())).toBe(1);
  await account.session.send({ method: "POST", path: "/search", body: "{}", account: "made up" });
  expect(await inspectsOf(() => account.settled())).toBe(1);
  await account.session.send({ method: "POST", path: "/search", body: "{}", account: "account 2" });
  expect(await inspectsOf(() => account.settled())).toBe(0);
  account.leave();
});

it("makes a shared setup once, shows its exchanges to each check, and makes it again after much else", async () => {
  let made = 0;
  const make = async (account: Account): Promise<number> => {
    await account.discover("data");
    return (made += 1);
  };
  const first = lent();
  expect(await first.once("a search", () => make(first))).toBe(1);
  first.leave();
  const second = lent();
  expect(await second.once("a search", () => make(second))).toBe(1);
  expect(second.session.exchanges.map(({ request }) => request.url)).toEqual(["/search"]);
  for (let count = 0; count < 13; count += 1) await second.discover("data");
  expect(await second.once("a search", () => make(second))).toBe(2);
});
