import { check } from "../check.ts";
import { isFields } from "../rules/seen.ts";
import type { Answer } from "../target/answer.ts";

/** Chinese, Japanese and Korean ideographs: how a Chinese text is told from an English one. */
const ideographs = /\p{Script=Han}/u;

const namesOf = (answer: Answer): string =>
  answer
    .at("results")
    .items.map((result) => `${result.at("name").string} ${result.at("description").string}`)
    .join(" ");

/** Words that find something on most catalogues; the checks that need results say so when they find none. */
const wide = "data";

export const discover = [
  check("DISC-40", "a Discover with a key and a query is answered with 200", async ({ account, expect }) => {
    expect(await account.discover("weather in Vienna")).toHaveStatus(200);
  }),

  check("DISC-06", "total counts at least the results returned", async ({ account, expect }) => {
    const answer = await account.discover(wide);
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

  check("DISC-21", "a query that is no string is refused with 422", async ({ account, expect }) => {
    expect(await account.discover({ query: 42 })).toHaveStatus(422);
    expect(await account.discover({ query: ["weather"] })).toHaveStatus(422);
  }),

  check(
    "DISC-22",
    "an exact tool id finds its tool, again and again",
    { needs: ["tool.charged"] },
    async ({ account, tool, expect }) => {
      const { id } = tool("charged");
      for (let time = 0; time < 2; time += 1) {
        const answer = await account.discover(id);
        const ids = answer.at("results").items.map((result) => result.at("tool_id").value);
        expect(ids.includes(id), `whether the results of the query ${id} hold it`).toBe(true);
      }
    },
  ),

  check(
    "DISC-38",
    "an explicit lang decides the language, whatever Accept-Language says",
    { feature: "chinese", needs: ["tool.charged"] },
    async ({ account, tool, expect }) => {
      const query = tool("charged").id;
      const chinese = await account.discover({ query, lang: "zh" }, { headers: { "accept-language": "en" } });
      const english = await account.discover({ query, lang: "en" }, { headers: { "accept-language": "zh" } });
      expect(ideographs.test(namesOf(chinese)), "whether lang zh answers in Chinese").toBe(true);
      expect(ideographs.test(namesOf(english)), "whether lang en answers in Chinese").toBe(false);
    },
  ),

  check(
    "DISC-34",
    "a routing card carries no params, examples or description",
    { needs: ["tool.charged"] },
    async ({ account, tool, expect }) => {
      const answer = await account.discover({ query: tool("charged").id, view: "routing" });
      const cards = answer.at("results");
      expect(cards).toHoldSomething();
      for (const card of cards.items) {
        for (const name of ["params", "examples", "description"]) expect(card.at(name)).toBeAbsent();
      }
    },
  ),

  check(
    ["DISC-41", "DISC-42"],
    "an invalid key gets the failure body: a marker, total 0, no results",
    async ({ stranger, expect }) => {
      const answer = await stranger.withKey("not-a-key-of-this-server").discover(wide);
      expect(answer).toHaveStatus(401);
      expect(isFields(answer.body), "whether the body is an object").toBe(true);
      expect(answer.at("search_id")).toBeA("string");
      expect(answer.at("total")).toBe(0);
      expect(answer.at("results")).toBe([]);
    },
  ),
];
