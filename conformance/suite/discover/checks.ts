import { isDeepStrictEqual } from "node:util";
import { check } from "../../run/check.ts";
import type { Expect } from "../../judge/expect.ts";
import { sumOf } from "../../judge/credits.ts";
import { amountOf } from "../../judge/rows.ts";
import { isFields } from "../../judge/seen.ts";
import { usable, type Account } from "../../server/account.ts";
import { requireReach } from "../../server/profile.ts";
import { widestQuery } from "../../server/requests.ts";
import { longestOf } from "../../judge/elapsed.ts";
import type { Answer, Located } from "../../judge/answer.ts";
import { Unverifiable } from "../../judge/verdict.ts";

export const checks = [
  check("DISC-40", "a Discover with a key and a query is answered with 200", async ({ account, expect }) => {
    expect(await account.discover("weather in Vienna")).toHaveStatus(200);
  }),

  check(
    "DISC-40",
    "a query in any script, a long one and one without a match are answered with 200",
    async ({ account, unique, expect }) => {
      // The rule of DISC-46 verifies that the answer repeats each of them.
      const long =
        `天气 🌦 Zürich's "100%" [\\(*?+]: ${"weather and air quality in the city, ".repeat(8)}`.trimEnd();
      for (const query of [long, unique("qzxvj")]) expect(await account.discover(query)).toHaveStatus(200);
      for (const query of ["", "weather\u0000", "weather ".repeat(80).trimEnd()]) {
        const { status } = await account.discover(query);
        expect(status, `the status of the query ${JSON.stringify(query.slice(0, 20))}`).toBeAtMost(499);
      }
    },
  ),

  check(
    "DISC-04",
    "a search made for the first time reports no more time than the client waited",
    async ({ account, unique, expect }) => {
      const answer = usable(await account.discover(unique("weather")));
      expect(answer.at("elapsed_time_ms")).toBeBetween(0, longestOf(answer.exchange));
    },
  ),

  check("DISC-06", "total counts at least the results returned", async ({ account, expect }) => {
    const answer = await account.discover(widestQuery);
    expect(answer.at("total")).toBeAtLeast(answer.at("results").items.length);
  }),

  check("DISC-07", "two searches have two search_ids", async ({ account, expect }) => {
    const [one, other] = [await account.discover(wide), await account.discover(wide)];
    expect(other.at("search_id")).not(one.at("search_id").string);
  }),

  check("DISC-21", "a missing query is refused with 422", async ({ account, expect }) => {
    expect(await account.discover({ query: wide })).toHaveStatus(200);
    expect(await account.discover({})).toHaveStatus(422);
  }),

  check("DISC-21", "a query that is not a string is refused with 422", async ({ account, expect }) => {
    expect(await account.discover({ query: wide })).toHaveStatus(200);
    for (const query of [42, ["weather"], null]) {
      expect(await account.discover({ query })).toHaveStatus(422);
    }
  }),

  check(
    "DISC-22",
    "an exact tool id finds its tool every time",
    { needs: ["tool.charged"] },
    async ({ account, tool, expect }) => {
      const query = tool("charged").id;
      for (const more of [{}, {}, { limit: 1 }, { limit: 1, view: "routing" }]) {
        const ids = idsOf(usable(await account.discover({ query, ...more })));
        expect(ids, `the ids that the query ${query} finds with ${JSON.stringify(more)}`).toSatisfy(
          `to hold ${query}`,
          () => ids.includes(query),
        );
      }
    },
  ),

  check("DISC-22", "an exact tool id of any form finds only its tool", async ({ account, expect }) => {
    const allIds = idsOf(usable(await account.discover({ query: wide, limit: 100 })));
    if (allIds.length === 0) throw new Unverifiable(`the query ${wide} finds no tool`);
    const forms = new Map(
      allIds.map((id) => [
        String(id)
          .replace(/[a-z]+/gi, "a")
          .replace(/\d+/g, "0"),
        id,
      ]),
    );
    for (const id of [...forms.values()].slice(0, maxForms)) {
      const ids = idsOf(usable(await account.discover({ query: id, limit: 1 })));
      expect(ids, `the ids that the query ${String(id)} finds with limit 1`).toBe([id]);
    }
  }),

  check(
    "DISC-23",
    "the words of a tool's description find something",
    { needs: ["tool.charged"] },
    async ({ account, tool, expect }) => {
      const { id } = tool("charged");
      const description = usable(await account.inspect([id])).at("results.0.description").value;
      if (typeof description !== "string" || description.trim() === "")
        throw new Unverifiable(`${id} has no description`);
      expect(usable(await account.discover(description.slice(0, 200))).at("results")).toHoldSomething();
    },
  ),

  check("DISC-24", "without a limit at most 20 results are returned", async ({ account, expect }) => {
    const query = await findMany(account, 20);
    for (const more of [{}, { view: "routing" }]) {
      const answer = usable(await account.discover({ query, ...more }));
      expect(answer.at("results").items.length, "the results").toBeAtMost(20);
    }
  }),

  check("DISC-25", "at most limit results are returned", async ({ account, unique, expect }) => {
    const query = await findMany(account, 3);
    for (const [limit, more] of [
      [1, { view: "full", session_id: unique("session") }],
      [3, { view: "full", lang: "en" }],
      [1, { view: "routing" }],
    ] as const) {
      const answer = usable(await account.discover({ query, limit, ...more }));
      expect(answer.at("results").items.length, `the results of limit ${limit}`).toBeBetween(1, limit);
    }
  }),

  check("DISC-26", "the ends of the range of limit are accepted", async ({ account, expect }) => {
    for (const limit of [1, 100]) expect(await account.discover({ query: wide, limit })).toHaveStatus(200);
  }),

  check("DISC-27", "a limit below 1 is refused with 422", async ({ account, expect }) => {
    expect(await account.discover({ query: wide, limit: 1 })).toHaveStatus(200);
    for (const more of [{ limit: 0 }, { limit: -1 }, { limit: 0, view: "routing" }])
      expect(await account.discover({ query: wide, ...more })).toHaveStatus(422);
  }),

  check("DISC-28", "a limit above 100 is refused with 422", async ({ account, expect }) => {
    expect(await account.discover({ query: wide, limit: 100 })).toHaveStatus(200);
    for (const more of [{ limit: 101 }, { limit: 1000, view: "routing" }])
      expect(await account.discover({ query: wide, ...more })).toHaveStatus(422);
  }),

  check("DISC-29", "a limit that is not an integer is refused with 422", async ({ account, expect }) => {
    expect(await account.discover({ query: wide, limit: 2 })).toHaveStatus(200);
    for (const limit of [1.5, "ten"])
      expect(await account.discover({ query: wide, limit })).toHaveStatus(422);
  }),

  check("DISC-30", "a limit above 20 can return more than 20 results", async ({ account, expect }) => {
    const found = [];
    for (const query of widest) found.push(idsOf(usable(await account.discover({ query, limit: 100 }))));
    const most = Math.max(...found.map((ids) => ids.length));
    const [one = [], other = []] = found;
    const alike = one.every((id) => other.includes(id));
    // The number of matches is not stated. Two different queries that both end at exactly 20 were truncated there.
    if (most < 20 || (most === 20 && (alike || one.length !== other.length))) {
      throw new Unverifiable("no query of the suite matches more than 20 tools on this server");
    }
    expect(most, "the most results of limit 100").toBeAtLeast(21);
    if (one.length <= 20) return;
    // Cards may be ranked by themselves, and a server may have 20 in all; two different sets of 20 were cut there.
    const cards: unknown[][] = [];
    for (const query of widest) {
      cards.push(idsOf(usable(await account.discover({ query, limit: 100, view: "routing" }))));
    }
    const [these = [], those = []] = cards;
    const areCut = cards.every(({ length }) => length === 20) && these.some((id) => !those.includes(id));
    expect(areCut, "whether different queries have exactly 20 cards each").toBe(false);
  }),

  check(
    "DISC-31",
    "Discover and Inspect are accepted with and without session_id and search_id",
    { needs: ["tool.charged"] },
    async ({ account, tool, unique, expect }) => {
      const ids = [tool("charged").id];
      const session = unique("session");
      const discovery = await account.discover({ query: wide, session_id: session });
      expect(discovery).toHaveStatus(200);
      expect(await account.discover({ query: wide })).toHaveStatus(200);
      const search = discovery.at("search_id").string;
      for (const more of [{}, { session_id: session }, { search_id: search }]) {
        expect(await account.inspect({ tool_ids: ids, ...more })).toHaveStatus(200);
      }
    },
  ),

  check(
    ["DISC-41", "DISC-42"],
    "an invalid key gets the failure body: a marker, total 0, no results",
    async ({ account, stranger, expect }) => {
      const valid = usable(await account.discover(wide));
      const answer = await stranger.withKey("not-a-key-of-this-server").discover(wide);
      expect(isFields(answer.body), "whether the body is an object").toBe(true);
      expectFailureBody(answer, expect);
      if (answer.status === valid.status && isDeepStrictEqual(valid.at("results").value, []))
        throw new Unverifiable("a valid key gets no results either");
    },
  ),

  ...(["revoked", "expired_trial"] as const).map((name) =>
    check(
      ["DISC-41", "DISC-42"],
      `a key that is no longer valid gets the failure body: ${name}`,
      { needs: [name] },
      async ({ account, stranger, profile, expect }) => {
        usable(await account.discover(wide));
        const answer = await stranger.withKey(profile.credentials[name]!).discover(wide);
        if (answer.status !== 401) throw new Unverifiable(`the key is not refused with 401: ${name}`);
        expectFailureBody(answer, expect);
      },
    ),
  ),

  check(
    "DISC-43",
    "a Discover that the account cannot pay for gets the failure body, with remaining_credits 0",
    { needs: ["exhausted"] },
    async ({ account, stranger, profile, expect }) => {
      usable(await account.discover(wide));
      const answer = await stranger.withKey(profile.credentials.exhausted!).discover(wide);
      if (answer.status === 200 && String(answer.at("error_message").value ?? "").trim() === "") {
        throw new Unverifiable("this deployment does not charge Discover");
      }
      expectFailureBody(answer, expect);
      expect(answer.at("error_message")).toBeA("string");
      expect(answer.at("remaining_credits")).toBe(0);
    },
  ),

  check(
    "DISC-44",
    "a Discover above the quota gets the error object with status_code 429",
    { fresh: true, feature: "rate_limits" },
    async ({ account, profile, expect }) => {
      requireReach(profile, "discover");
      // Twice the quota, since a window may end between the first request and the last.
      for (let sent = 0; sent <= 2 * profile.limits.discover; sent += 20) {
        const ask = () => account.discover({ query: wide, limit: 1 }, { impatient: true });
        const answers = await Promise.all(Array.from({ length: 20 }, ask));
        const refused = answers.find(({ status }) => status === 429);
        if (refused === undefined) continue;
        expect(refused).toBeAnErrorObject();
        expect(refused.at("status_code")).toBe(429);
        return;
      }
      throw new Unverifiable(
        "no Discover was refused within twice the quota",
        "limits: {discover: REQUESTS_IN_A_WINDOW}",
      );
    },
  ),

  check(
    "DISC-45",
    "a Discover moves no credits, except by entries of type consume_tool_search",
    async ({ account, expect }) => {
      await account.settled();
      const known = new Set((await entriesOf(account)).map((entry) => entry.at("id").value));
      const before = await account.credits();
      const ids = idsOf(usable(await account.discover(wide)));
      for (const view of ["routing", "full"]) usable(await account.discover({ query: wide, view }));
      if (ids.length > 0) usable(await account.discover({ query: ids[0] }));
      await account.settled();
      const entries = (await entriesOf(account)).filter((entry) => !known.has(entry.at("id").value));
      for (const entry of entries) expect(entry.at("entry_type")).toBe("consume_tool_search");
      const moved = sumOf(entries.map((entry) => amountOf(entry) ?? 0));
      expect(await account.credits(), "the credits after the Discovers").toBeCredits(before + moved);
    },
  ),
];

/** Words that match on most catalogues; checks that need results say so when nothing matches. */
export const wide = "data";

/** The same words in two combinations that match different results. */
export const widest = [
  widestQuery,
  "current rate list, price history or text by name, code, id, country, symbol, number or date",
] as const;

/** The results of the broadest query that finds more than `count`. @throws Unverifiable when none does */
async function findMany(account: Account, count: number): Promise<string> {
  for (const query of [wide, ...widest]) {
    const answer = usable(await account.discover({ query, limit: 100 }));
    if (answer.at("results").items.length > count) return query;
  }
  throw new Unverifiable(`no query of the suite finds more than ${count} tools on this server`);
}

/** Formats of tool ids to look for; apart from letters and digits, ids vary little. */
const maxForms = 6;

/** What a Discover contains when refused for its key or for lack of credits. */
function expectFailureBody(answer: Answer, expect: Expect): void {
  expect(answer.at("search_id")).toBeA("string");
  expect(answer.at("total")).toBe(0);
  expect(answer.at("results")).toBe([]);
}

export const idsOf = (answer: Answer): unknown[] =>
  answer.at("results").items.map((result) => result.at("tool_id").value);

/** The current ledger entries, newest first. */
const entriesOf = (account: Account): Promise<Located[]> => account.entries({ page_size: 100 });
