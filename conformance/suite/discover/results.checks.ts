import { isDeepStrictEqual } from "node:util";
import { check } from "../../run/check.ts";
import type { Expect } from "../../judge/expect.ts";
import { isFields } from "../../judge/seen.ts";
import { usable, type Account } from "../../server/account.ts";
import type { Located } from "../../judge/answer.ts";
import { until } from "../../server/session.ts";
import { Blocked, Unverifiable } from "../../judge/verdict.ts";
import { contractFields, contractIn, contradictionsAmong } from "../inspect/contracts.ts";
import { wide } from "./checks.ts";

export const checks = [
  check(
    "DISC-18",
    "a result carries a cost signal, and once there is a history, both figures of it",
    { needs: ["tool.charged"] },
    async ({ account, tool, expect }) => {
      const use = tool("charged");
      await account.succeed(use);
      const figures = ["stats.avg_execution_time_ms", "stats.success_rate"];
      const result = await until(
        account.lagMs,
        () => resultOf(account, use.id),
        (read) => figures.some((name) => read.at(name).present),
      );
      const signals = ["expected_cost", "billing_rule", "cost"].filter((name) => result.at(name).present);
      expect(signals, "the cost signals of the result").toHoldSomething();
      const begun = figures.find((name) => result.at(name).present) ?? figures[0]!;
      await requireOfSomeTool(account, result.at(begun), begun);
      for (const name of figures) expect(result.at(name)).toBePresent();
    },
  ),

  check(
    "DISC-19",
    "a result that shows examples shows the sample that Inspect has",
    { needs: ["tool.required_parameter"] },
    async ({ account, tool, expect }) => {
      const { id } = tool("required_parameter");
      const sample = usable(await account.inspect([id])).at("results.0.examples.sample_parameters");
      const result = await resultOf(account, id);
      await requireOfSomeTool(account, sample, "examples.sample_parameters");
      expect(sample, "the sample that Inspect shows").toBeA("object");
      // Only Inspect "returns full" examples.
      if (!result.at("examples").present) throw new Unverifiable(`Discover shows no examples of ${id}`);
      expect(result.at("examples.sample_parameters")).toBeA("object");
    },
  ),

  check(
    ["DISC-33", "DISC-34"],
    "a routing card is compact, and Inspect finds its tool",
    { needs: ["tool.charged"] },
    async ({ account, tool, expect }) => {
      const found = await cards(account, tool("charged").id);
      for (const card of found) {
        const shown = ["params", "examples", "description"].filter((name) => card.at(name).present);
        expect(shown, "what a routing card shows besides").toBeEmpty();
      }
      const ids = found.slice(0, 10).map((card) => card.at("tool_id").string);
      const inspected = usable(await account.inspect(ids)).at("results").items;
      const known = inspected.map((result) => result.at("tool_id").value);
      expect(
        ids.filter((id) => !known.includes(id)),
        "the cards whose tool Inspect does not find",
      ).toBeEmpty();
    },
  ),

  check(
    "DISC-35",
    "view full returns the same shape as an omitted view",
    { needs: ["tool.charged"] },
    async ({ account, tool, unique, expect }) => {
      const { id } = tool("charged");
      const session_id = unique("session");
      await expectSame(expect, async () => [
        await resultOf(account, id, { session_id }),
        await resultOf(account, id, { session_id, view: "full" }),
      ]);
    },
  ),

  check(
    "DISC-36",
    "a view or a lang that is not listed is refused with 422",
    { needs: ["tool.charged"] },
    async ({ account, tool, expect }) => {
      const ids = [tool("charged").id];
      expect(await account.discover({ query: wide, view: "full", lang: "en" })).toHaveStatus(200);
      expect(await account.inspect({ tool_ids: ids, view: "full" })).toHaveStatus(200);
      expect(await account.discover({ query: wide, view: "panoramic" })).toHaveStatus(422);
      expect(await account.discover({ query: wide, lang: "tlh" })).toHaveStatus(422);
      expect(await account.inspect({ tool_ids: ids, view: "panoramic" })).toHaveStatus(422);
    },
  ),

  check("DISC-37", "lang accepts zh and en", async ({ account, expect }) => {
    for (const lang of ["zh", "en"]) expect(await account.discover({ query: wide, lang })).toHaveStatus(200);
  }),

  check(
    "DISC-38",
    "an explicit lang decides the language, whatever Accept-Language says",
    { feature: "chinese", needs: ["tool.charged"] },
    async ({ account, tool, expect }) => {
      const [chinese, against, english, astray] = await textsOf(account, tool("charged").id, [
        { lang: "zh", accept: "zh" },
        { lang: "zh", accept: "en" },
        { lang: "en", accept: "en" },
        { lang: "en", accept: "zh" },
      ]);
      expect(against, "the text of lang zh beside Accept-Language en").toBe(chinese);
      expect(astray, "the text of lang en beside Accept-Language zh").toBe(english);
      expect(chinese, "the text of lang zh").toMatch(ideographs, "Chinese");
      expect(english, "the text of lang en").not(chinese);
    },
  ),

  check(
    "INSP-05",
    "Discover shows the same parameters and prices in Chinese and in English",
    { feature: "chinese", needs: ["tool.charged"] },
    async ({ account, profile, tool, unique, expect }) => {
      const { id } = profile.tools.enum ?? tool("charged");
      const session_id = unique("session");
      const read = (lang: string): Promise<Located> => resultOf(account, id, { lang, session_id });
      const [before, english, after] = [await read("zh"), await read("en"), await read("zh")];
      if (contradictionsAmong([before], [after]).length > 0)
        throw new Unverifiable(`Discover says something else of ${id} each time`);
      expect(contradictionsAmong([before], [english]), "what is said otherwise in Chinese").toBeEmpty();
    },
  ),

  check(
    "DISC-39",
    "without lang the language is negotiated by Accept-Language",
    { feature: "chinese", needs: ["tool.charged"] },
    async ({ account, tool, expect }) => {
      const [chinese, english, preferred, weighed, whole, other, capitals, none] = await textsOf(
        account,
        tool("charged").id,
        [
          { lang: "zh" },
          { lang: "en" },
          { accept: "zh-CN,zh;q=0.9,en;q=0.1" },
          { accept: "tlh, en; q=0.2, zh; q=0.812" },
          { accept: "en;q=0.5,zh;q=1" },
          { accept: "en-US,en;q=0.9,zh;q=0.1" },
          { accept: "ZH-cn" },
          { accept: "en, zh;q=0" },
        ],
      );
      expect(preferred, "the text of Accept-Language zh-CN").toBe(chinese);
      expect(weighed, "the text of Accept-Language tlh, en; q=0.2, zh; q=0.812").toBe(chinese);
      expect(whole, "the text of Accept-Language en;q=0.5,zh;q=1").toBe(chinese);
      expect(other, "the text of Accept-Language en-US").toBe(english);
      // RFC 9110 and 4647: ranges are case-insensitive, and a weight of 0 means not acceptable. Where nothing is
      // acceptable, any language will do.
      expect(capitals, "the text of Accept-Language ZH-cn").toBe(chinese);
      expect(none, "the text of Accept-Language en, zh;q=0").toBe(english);
    },
  ),
];

/** Chinese characters, which identify a Chinese text. */
const ideographs = /\p{Script=Han}/u;

/** The result of a search for one tool. @throws Blocked when the search does not find it */
async function resultOf(
  account: Account,
  id: string,
  more: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Located> {
  const answer = usable(await account.discover({ query: id, ...more }, { headers }));
  const result = answer.at("results").items.find((item) => item.at("tool_id").value === id);
  if (result !== undefined) return result;
  throw new Blocked(`the query ${id} does not find that tool`, answer.exchange);
}

/**
 * The fields of a result that the contract names; `stats` may appear at any time, and additional fields may come and
 * go.
 */
function shapeOf({ value, exchange }: Located): string[] {
  if (!isFields(value)) throw new Blocked("there is no result whose fields could be compared", exchange);
  return contractFields.filter((name) => value[name] !== undefined);
}

/**
 * Expects a tool's results in an omitted view and in view full to agree; if they differ, two more show whether it has
 * just changed.
 * @throws Unverifiable when the omitted view by itself says something else each time
 */
export async function expectSame(
  expect: Expect,
  read: () => Promise<[omitted: Located, full: Located]>,
): Promise<void> {
  const both = await read();
  expect(shapeOf(both[1]), "the fields of view full").toBe(shapeOf(both[0]));
  let [omitted, full] = both.map(contractIn);
  if (!isDeepStrictEqual(omitted, full)) {
    const before = omitted;
    [omitted, full] = (await read()).map(contractIn);
    if (!isDeepStrictEqual(omitted, full) && !isDeepStrictEqual(omitted, before))
      throw new Unverifiable("the omitted view by itself says something else of the tool each time");
  }
  expect(full, "what view full says of the tool").toBe(omitted);
}

/**
 * A result need not show what it has "when available" of each tool, but of some.
 * @throws Unverifiable when it is missing, and Inspect shows it of another tool of the profile
 */
async function requireOfSomeTool(account: Account, shown: Located, part: string): Promise<void> {
  if (shown.present) return;
  const ids = new Set(Object.values(account.profile.tools).map(({ id }) => id));
  const results = usable(await account.inspect([...ids])).at("results").items;
  if (results.some((result) => result.at(part).present))
    throw new Unverifiable(`this server shows ${part} only of other tools`);
}

/** How a client requests a language: in the body and in a header. */
type Wish = { lang?: "zh" | "en"; accept?: string };

/** The name and description of one tool, in the language of the answer. */
async function textOf(account: Account, id: string, { lang, accept }: Wish): Promise<string> {
  const result = await resultOf(
    account,
    id,
    lang === undefined ? {} : { lang },
    accept === undefined ? {} : { "accept-language": accept },
  );
  return `${result.at("name").string} ${result.at("description").string}`;
}

/**
 * The texts for several requested languages. @throws Unverifiable when all are equal: the catalogue has no Chinese for
 * this tool
 */
async function textsOf(account: Account, id: string, wishes: readonly Wish[]): Promise<string[]> {
  const texts: string[] = [];
  for (const wish of wishes) texts.push(await textOf(account, id, wish));
  if (new Set(texts).size > 1) return texts;
  throw new Unverifiable(`${id} reads the same in every language: this server may have no Chinese text`);
}

const cards = async (account: Account, query: string): Promise<Located[]> => {
  const results = usable(await account.discover({ query, view: "routing" })).at("results").items;
  if (results.length > 0) return results;
  throw new Unverifiable(`the query ${query} finds nothing on this server`);
};
