import { isDeepStrictEqual } from "node:util";
import { check, type Stage } from "../../run/check.ts";
import type { OperationId } from "../../../generated/contract.ts";
import { usable, type Account, type Ask, type Stranger } from "../../server/account.ts";
import type { Located } from "../../judge/answer.ts";
import { forgedFrom, nearAtItsEnds, nearly } from "../../server/forged.ts";
import { asksInVain, authenticatedOperations, modestRequest, operationsOf } from "../../server/requests.ts";
import { amounts } from "../../books/unnamed.ts";
import { Unverifiable } from "../../judge/verdict.ts";

export const checks = [
  check(
    "AUTH-01",
    "every authenticated operation accepts an API key",
    async ({ account, profile, expect }) => {
      const whole: OperationId[] = ["discover", "inspect", "getCredits", "listLedger", "listUsage"];
      for (const operation of authenticatedOperations(profile)) {
        const answer = await account.ask(operation, modestRequest(operation, profile));
        if (whole.includes(operation)) expect(answer).toHaveStatus(200);
        else {
          // A 403 for a missing resource is not a refusal of the key.
          const refusals = asksInVain(operation, profile) ? [401] : [401, 403];
          expect(refusals.includes(answer.status), `whether ${operation} refuses the key`).toBe(false);
        }
      }
    },
  ),

  check("AUTH-02", "every authenticated operation refuses a request without a credential", (stage) =>
    expectRefusal(stage, stage.stranger, "without a credential"),
  ),

  check(
    "AUTH-02",
    "a request without a credential is refused even for something that does not exist",
    async ({ account, stranger, profile, expect }) => {
      const served = authenticatedOperations(profile);
      for (const [operation, request] of unknown.filter(([id]) => served.includes(id))) {
        expect(
          (await account.ask(operation, request)).status,
          `the status of ${operation} with a valid key`,
        ).not(401);
        const { status } = await stranger.ask(operation, request);
        expect(status, `the status of ${operation} without a credential`).toBeStatus(401);
      }
    },
  ),

  check("AUTH-03", "a malformed Authorization header is refused", async ({ account, stranger, expect }) => {
    const { key } = account;
    for (const operation of ["discover", "getCredits", "listUsage"] as const) {
      const request = operation === "discover" ? { body: { query: "data", limit: 1 } } : {};
      expect(await account.ask(operation, request)).toHaveStatus(200);
      for (const header of [key, "Bearer", `Basic ${key}`, `Token ${key}`, `Bearer ${key} ${key}`]) {
        expect(await stranger.withAuthorization(header).ask(operation, request)).toHaveStatus(401);
      }
    }
  }),

  check("AUTH-04", "every authenticated operation refuses a key that differs in one character", (stage) =>
    expectRefusal(
      stage,
      stage.stranger.withKey(nearly(stage.account.key)),
      "with a key that is nearly right",
    ),
  ),

  check(
    "AUTH-04",
    "a key is compared from end to end, and is case-sensitive",
    async ({ account, stranger, profile, expect }) => {
      for (const operation of ["getCredits", "discover"] as const) {
        const request = modestRequest(operation, profile);
        expect(await account.ask(operation, request)).toHaveStatus(200);
        for (const { token, whom } of nearAtItsEnds(account.key)) {
          const { status } = await stranger.withKey(token).ask(operation, request);
          expect(status, `the status of ${operation} ${whom}`).toBeStatus(401);
        }
      }
    },
  ),

  check(
    "AUTH-04",
    "a key that is cut short or extended is refused",
    async ({ account, stranger, expect }) => {
      const { key } = account;
      const others = [`${key}0`, key.slice(0, -2), key.slice(0, 12)].filter((other) => other !== key);
      for (const other of others) {
        expect((await account.ask("getCredits")).status, "the status with the key itself").toBeStatus(200);
        expect(await stranger.withKey(other).ask("getCredits")).toHaveStatus(401);
      }
    },
  ),

  check("AUTH-05", "every authenticated operation refuses a revoked key", { needs: ["revoked"] }, (stage) =>
    expectRefusal(stage, stage.stranger.withKey(stage.profile.credentials.revoked!), "with a revoked key"),
  ),

  check(
    "AUTH-06",
    "a Call that is refused executes nothing and moves no credits",
    { needs: ["tool.charged"] },
    async ({ account, stranger, tool, expect }) => {
      const use = tool("charged");
      await account.succeed(use);
      const [calls, before] = [await account.calls(), await account.credits()];
      const body = { tool_id: use.id, parameters: use.parameters };
      for (const wrong of [
        stranger,
        stranger.withAuthorization(account.key),
        stranger.withKey(nearly(account.key)),
      ]) {
        expect(await wrong.ask("call", { body })).toHaveStatus(401);
      }
      expect(await account.calls(), "the Calls in usage audit after the refusals").toBe(calls);
      expect(await account.credits(), "the credits after the refusals").toBeCredits(before);
    },
  ),

  check(
    "AUTH-07",
    "the credits can be read with a JWT",
    { needs: ["jwt"], feature: "jwt" },
    async ({ stranger, profile, expect }) => {
      const answer = await stranger.withKey(profile.credentials.jwt!).ask("getCredits");
      expect(answer).toHaveStatus(200);
      expect(answer.at("data")).toBeA("object");
    },
  ),

  check(
    "AUTH-08",
    "every authenticated operation refuses an expired JWT",
    { needs: ["jwt", "expired_jwt"], feature: "jwt" },
    async ({ stranger, profile, expect }) => {
      const { jwt, expired_jwt: expired } = profile.credentials;
      expect(await stranger.withKey(jwt!).ask("getCredits")).toHaveStatus(200);
      for (const operation of authenticatedOperations(profile)) {
        const { status } = await stranger.withKey(expired!).ask(operation, modestRequest(operation, profile));
        expect(status, `the status of ${operation} with an expired JWT`).toBeStatus(401);
      }
    },
  ),

  check(
    "AUTH-08",
    "a JWT without a valid signature is refused",
    { needs: ["jwt"], feature: "jwt" },
    async ({ stranger, profile, expect }) => {
      const jwt = profile.credentials.jwt!;
      expect(await stranger.withKey(jwt).ask("getCredits")).toHaveStatus(200);
      const forged = forgedFrom(jwt);
      const elsewhere = ["listUsage", "discover", "listLedger"] as const;
      for (const [index, { token, whom }] of forged.entries()) {
        for (const operation of ["getCredits", elsewhere[index]!] as const) {
          const { status } = await stranger.withKey(token).ask(operation, modestRequest(operation, profile));
          expect(status, `the status of ${operation} ${whom}`).toBeStatus(401);
        }
      }
    },
  ),

  check(
    "AUTH-09",
    "what one key of an account did can be read with another",
    { needs: ["second_key"] },
    async (stage) => {
      const { account, profile, tool, unique, expect } = stage;
      const second = secondKeyOf(stage);
      const session = unique("session");
      const search = usable(await account.discover({ query: "data", session_id: session }));
      const query = { search_id: search.at("search_id").string };
      await account.settled();
      const own = await account.events(query);
      if (own.length === 0) throw new Unverifiable("a Discover leaves no event that could be read");
      const ids = own.map((event) => event.at("id").value);
      const read = await second.events(query);
      expect(
        read.map((event) => event.at("id").value),
        "the events that the second key reads",
      ).toBe(ids);
      const [one, other] = await steadily(account, second);
      expect(other, "the credits that the second key reads").toBeCredits(one);
      if (profile.tools.charged === undefined) return;
      await account.succeed(tool("charged"));
      await account.settled();
      const [before, theirs, after] = [await moneyOf(account), await moneyOf(second), await moneyOf(account)];
      for (const [what, read] of Object.entries(before)) {
        if (!isDeepStrictEqual(read, after[what])) continue;
        expect(theirs[what], `the ${what} that the second key reads`).toBe(read);
      }
    },
  ),

  check(
    "AUTH-10",
    "registering, starting a claim and verifying it need no credential",
    async ({ account, stranger, profile, expect }) => {
      usable(await account.discover({ query: "data", limit: 1 }));
      const open = operationsOf(profile).filter((id) =>
        ["registerAnonymous", "startClaim", "verifyClaim"].includes(id),
      );
      if (open.length === 0) throw new Unverifiable("the profile declares trials and claims off");
      for (const operation of open) {
        const { status } = await stranger.ask(operation, modestRequest(operation, profile));
        expect(status, `the status of ${operation} without a credential`).not(401);
      }
    },
  ),

  check(
    "AUTH-12",
    "an event is attributed to the key that made its request",
    { needs: ["second_key"] },
    async (stage) => {
      const { account, expect, profile } = stage;
      const second = secondKeyOf(stage);
      const searches: string[] = [];
      for (const reader of [account, second]) {
        searches.push(usable(await reader.discover({ query: "data", limit: 1 })).at("search_id").string);
      }
      // What the second key continues belongs to its own search.
      const use = profile.tools.included ?? profile.tools.charged;
      if (use !== undefined) {
        await second.inspect({ tool_ids: [use.id], search_id: searches[1] });
        await second.call({ parameters: {}, ...use }, { search_id: searches[1] });
      }
      await second.settled();
      const events: Located[][] = [];
      for (const search of searches) events.push(await account.events({ search_id: search }));
      const keys = events.map((some) =>
        keyOf(some.find((event) => event.at("event_type").value === "search")),
      );
      if (keys.includes(undefined)) throw new Unverifiable("the event of a search does not name its key");
      expect(keys[1], "the key of the second key's event").not(keys[0]);
      for (const event of events[1]!) {
        const what = `the key of the second key's ${String(event.at("event_type").value)}`;
        expect(keyOf(event) ?? keys[1], what).toBe(keys[1]);
      }
      for (const [index, search] of searches.entries()) {
        const others = await account.events({ search_id: search, api_key_id: keys[1 - index]! });
        const own = await account.events({ search_id: search, api_key_id: keys[index]! });
        expect(own, "the events of the search that its own key made").toHoldSomething();
        expect(others, "the events of the search that the other key made").toBeEmpty();
      }
    },
  ),
];

/**
 * Sends every authenticated operation two credentials, the first valid: each must refuse the second with 401. An
 * operation that also refuses the valid one is reported, since its 401 then proves nothing.
 */
async function expectRefusal(
  { account, profile, expect }: Stage,
  who: Stranger,
  whom: string,
): Promise<void> {
  for (const operation of authenticatedOperations(profile)) {
    const request = modestRequest(operation, profile);
    const opened = await account.ask(operation, request);
    expect(opened.status, `the status of ${operation} with a valid key`).not(401);
    const refused = await who.ask(operation, request);
    expect(refused.status, `the status of ${operation} ${whom}`).toBeStatus(401);
  }
}

/** The owner's other key. */
const secondKeyOf = ({ stranger, profile }: Stage): Account =>
  stranger.withKey(profile.credentials.second_key_of_account!);

/**
 * The credits as two keys of one account report them, at a time when they do not change.
 * @throws Unverifiable when they keep changing: other credentials of the account may be in use
 */
async function steadily(account: Account, second: Account): Promise<[number, number]> {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const before = await account.credits();
    const read = await second.credits();
    if ((await account.credits()) === before) return [before, read];
  }
  throw new Unverifiable("the credits of the account keep moving");
}

/** Requests for missing resources, to operations that look something up. */
const unknown: readonly (readonly [OperationId, Ask])[] = [
  ["inspect", { body: { tool_ids: ["no.such.tool"] } }],
  ["probe", { query: { tool_id: "no.such.tool" }, body: {} }],
  ["getCapability", { parameter: "no.such.capability" }],
];

/** Where an event may name its key; the contract lists a filter for it but no field. */
const keyPaths = ["api_key_id", "api_key.id"];

/** The key that an event names; undefined when it names none. */
const keyOf = (event: Located | undefined): string | undefined =>
  keyPaths.map((path) => event?.at(path).value).find((id): id is string => typeof id === "string");

/** What a key reads of its account's money; amounts by path, without those named as the key's own. */
async function moneyOf(account: Account): Promise<Record<string, unknown>> {
  const amountsOf = async (operation: OperationId, ask?: Ask) => {
    const found = amounts(usable(await account.ask(operation, ask)).at("data"));
    return Object.fromEntries([...found].filter(([path]) => !/key/i.test(path)));
  };
  return {
    "credits spent": await amountsOf("getCreditsSpent", { query: { start_date: "2026-01-01" } }),
    "credits left": await amountsOf("getCredits"),
    "ledger entries": (await account.entries({ page_size: 100 })).map((entry) => entry.at("id").value),
  };
}
