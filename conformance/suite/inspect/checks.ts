import { isDeepStrictEqual } from "node:util";
import { check } from "../../run/check.ts";
import { isFields } from "../../judge/seen.ts";
import { longestOf } from "../../judge/elapsed.ts";
import { allows, oneOfFields } from "../../judge/params.ts";
import { usable, type Account } from "../../server/account.ts";
import type { Answer, Located } from "../../judge/answer.ts";
import { Unverifiable } from "../../judge/verdict.ts";
import { contractFields, contradictionsAmong, deniesParams } from "./contracts.ts";
import { expectSame } from "../discover/results.checks.ts";
import { idsOf, wide, widest } from "../discover/checks.ts";

export const checks = [
  check(
    "INSP-02",
    "an Inspect made for the first time reports no more time than the client waited",
    async ({ account, unique, expect }) => {
      const { ids } = await someIds(account);
      const asked = await account.inspect([...ids, unique("no-such-tool")]);
      if (refusesUnknown(asked)) throw new Unverifiable("an id that no tool has is refused");
      const answer = usable(asked);
      const elapsed = answer.at("elapsed_time_ms");
      if (!elapsed.present) throw new Unverifiable("no elapsed_time_ms is available");
      expect(elapsed).toBeBetween(0, longestOf(answer.exchange));
    },
  ),

  check(
    "INSP-05",
    "what Discover says of a tool, Inspect says as well",
    { needs: ["tool.charged"] },
    async ({ account, tool, expect }) => {
      const { id } = tool("charged");
      const results = usable(await account.discover(id)).at("results").items;
      const result = results.find((item) => item.at("tool_id").value === id);
      if (result === undefined) throw new Unverifiable(`the query ${id} does not find that tool`);
      const contract = await contractOf(account, id);
      const lacking = contractFields.filter((name) => result.at(name).present && !contract.at(name).present);
      expect(lacking, "the fields that only Discover shows").toBeEmpty();
    },
  ),

  check(
    "INSP-05",
    "Inspect does not contradict Discover on parameters and prices",
    async ({ account, unique, expect }) => {
      const both = await bothOf(account, unique("session"), disagreementsOf);
      expect(disagreementsOf(both), "what Discover says otherwise than Inspect").toBeEmpty();
    },
  ),

  check(
    "INSP-13",
    "no tool that takes parameters has an explicitly empty contract in Discover",
    async ({ account, unique, expect }) => {
      const denied = ({ usual, compared }: Both): unknown[] =>
        compared
          .filter((result) =>
            usual.some(
              (other) =>
                other.at("tool_id").value === result.at("tool_id").value && deniesParams(result, other),
            ),
          )
          .map((result) => result.at("tool_id").value);
      const both = await bothOf(account, unique("session"), denied);
      expect(denied(both), "the tools whose params are empty only in Discover").toBeEmpty();
    },
  ),

  check(
    "INSP-06",
    "tool_ids that are missing, or not an array of strings, are refused with 422",
    { needs: ["tool.charged"] },
    async ({ account, tool, expect }) => {
      const { id } = tool("charged");
      expect(await account.inspect([id])).toHaveStatus(200);
      expect(await account.inspect({})).toHaveStatus(422);
      for (const tool_ids of [id, null, [id, 42]]) {
        expect(await account.inspect({ tool_ids })).toHaveStatus(422);
      }
    },
  ),

  check(
    ["INSP-07", "INSP-16"],
    "an Inspect of ids that Discover returned has a result for each",
    async ({ account, unique, expect }) => {
      const { ids: many, search } = await someIds(account, 100);
      // The contract states no maximum number of ids and does not rule one out: if many are refused, ask for a few.
      const refused = many.length > 20 && [400, 413, 422].includes((await account.inspect(many)).status);
      const ids = refused ? many.slice(0, 5) : many;
      const session = unique("session");
      const wishes = [{ session_id: session }, { search_id: search, session_id: session, view: "lean" }];
      for (const more of wishes) {
        const answer = await account.inspect({ tool_ids: ids, ...more });
        expect(answer).toHaveStatus(200);
        const inspected = idsOf(answer);
        expect(
          ids.filter((id) => !inspected.includes(id)),
          `the ids without a result, of ${ids.length}`,
        ).toBeEmpty();
      }
    },
  ),

  check(
    "INSP-08",
    "an Inspect returns no tool that was not asked for, and none for an unknown id",
    async ({ account, unique, expect }) => {
      const { ids } = await someIds(account);
      const asked = ids.slice(0, 1);
      const unknown = unique("no-such-tool");
      for (const body of [
        { tool_ids: [...asked, unknown] },
        { tool_ids: [unknown, ...asked] },
        { tool_ids: [unknown, ...asked], view: "lean" },
      ]) {
        const answer = await account.inspect(body);
        expect(refusesUnknown(answer) ? asked : idsOf(usable(answer)), "the ids of the results").toBe(asked);
      }
    },
  ),

  check("INSP-09", "total counts the tools of an Inspect", async ({ account, expect }) => {
    const { ids } = await someIds(account);
    for (const view of ["full", "lean"]) {
      const answer = usable(await account.inspect({ tool_ids: ids, view }));
      expect(answer.at("total")).toBe(answer.at("results").items.length);
    }
  }),

  check("INSP-10", "an Inspect repeats the search_id that it was given", async ({ account, expect }) => {
    const { ids, search } = await someIds(account);
    const answer = usable(await account.inspect({ tool_ids: ids, search_id: search }));
    expect(answer.at("search_id")).toBe(search);
  }),

  check(
    "INSP-11",
    "view lean returns the same tools with less about each",
    async ({ account, unique, expect }) => {
      const { ids } = await someIds(account);
      const body = { tool_ids: ids, session_id: unique("session") };
      const read = async (): Promise<Both> => ({
        usual: usable(await account.inspect(body)).at("results").items,
        compared: usable(await account.inspect({ ...body, view: "lean" })).at("results").items,
      });
      const both = await untilQuiet(read, disagreementsOf);
      expect(disagreementsOf(both), "what view lean says otherwise than the full view").toBeEmpty();
      const idsIn = (results: Located[]): unknown[] =>
        results.map((result) => result.at("tool_id").value).toSorted();
      expect(idsIn(both.compared), "the ids of the lean results").toBe(idsIn(both.usual));
      const size = (results: Located[]): number => JSON.stringify(results.map(({ value }) => value)).length;
      const most = size(both.usual);
      expect(size(both.compared), "the characters of the lean results").toSatisfy(
        `fewer than the ${most} of the full view`,
        (characters) => Number(characters) < most,
      );
    },
  ),

  check(
    "INSP-12",
    "view full returns the same shape as an omitted view",
    { needs: ["tool.charged"] },
    async ({ account, profile, tool, unique, expect }) => {
      // Marks of a one-of group are part of the shape.
      const { id } = profile.tools.one_of ?? tool("charged");
      const session_id = unique("session");
      await expectSame(expect, async () => [
        await contractOf(account, id, { session_id }),
        await contractOf(account, id, { session_id, view: "full" }),
      ]);
    },
  ),

  check(
    "INSP-13",
    "a tool without parameters says so by an empty array",
    { needs: ["tool.zero_parameter", "tool.charged"] },
    async ({ account, tool, expect }) => {
      expect((await contractOf(account, tool("charged").id)).at("params")).toBeA("array");
      expect((await contractOf(account, tool("zero_parameter").id)).at("params")).toBe([]);
    },
  ),

  check(
    "INSP-13",
    "an Inspect of several tools shows each as an Inspect of that tool does",
    { needs: ["tool.charged"] },
    async ({ account, profile, unique, expect }) => {
      const roles = ["included", "charged", "enum", "one_of"] as const;
      const ids = [...new Set(roles.map((role) => profile.tools[role]?.id))].filter((id) => id !== undefined);
      const session_id = unique("session");
      const read = async (): Promise<Both> => {
        const usual: Located[] = [];
        for (const id of ids) usual.push(await contractOf(account, id, { session_id }));
        const together = usable(await account.inspect({ tool_ids: ids, session_id }));
        return { usual, compared: together.at("results").items };
      };
      const both = await untilQuiet(read, disagreementsOf);
      expect(disagreementsOf(both), "what is said of several tools otherwise than of one").toBeEmpty();
    },
  ),

  check(
    "INSP-14",
    "the fields of a one-of group are marked one_of_required",
    { needs: ["tool.one_of"] },
    async ({ account, tool, expect }) => {
      const contract = await contractOf(account, tool("one_of").id);
      const params = contract.at("params").items.map((param) => param.value);
      expect(
        JSON.stringify(contract.value).includes("one_of_required"),
        "whether the contract says one_of_required",
      ).toBe(true);
      // If the mark is a member of a definition, its value is open, but a group has more than one field.
      if (!params.some((param) => isFields(param) && "one_of_required" in param)) return;
      // "each may have `name`": definitions without one cannot be distinguished.
      if (!params.some((param) => isFields(param) && typeof param["name"] === "string")) return;
      expect(oneOfFields(params).length, "the parameters that one_of_required marks or names").toBeAtLeast(2);
    },
  ),

  check(
    "INSP-15",
    "a parameter that takes listed values lists them",
    { needs: ["tool.enum"] },
    async ({ account, tool, expect }) => {
      const { id, parameters } = tool("enum");
      const params = (await contractOf(account, id)).at("params").items;
      const listed = params.filter((param) => (param.at("enum").value as unknown[] | undefined)?.length);
      expect(listed, "the parameters with an enum").toHoldSomething();
      for (const param of listed) {
        const name = param.at("name").value;
        const value = typeof name === "string" ? parameters[name] : undefined;
        if (value === undefined) continue;
        const values = param.at("enum").items.map((item) => item.value);
        const holds = allows(values, value);
        expect(holds, `whether ${param.path}.enum holds ${JSON.stringify(value)}, which works`).toBe(true);
      }
    },
  ),

  check("INSP-18", "an Inspect moves no credits", async ({ account, expect }) => {
    const { ids } = await someIds(account);
    const entries = async (): Promise<unknown> =>
      usable(await account.ledger({ page_size: 1 })).at("data.total").number;
    await account.settled();
    const [before, booked] = [await account.credits(), await entries()];
    for (const view of [undefined, "lean", "full"]) usable(await account.inspect({ tool_ids: ids, view }));
    await account.settled();
    expect(await account.credits(), "the credits after three Inspects").toBeCredits(before);
    expect(await entries(), "the entries of the ledger after three Inspects").toBe(booked);
  }),
];

/** A few ids that Discover returns, with their search. */
async function someIds(account: Account, limit = 5): Promise<{ ids: string[]; search: string }> {
  const query = limit > 20 ? widest[0] : wide;
  const answer = usable(await account.discover({ query, limit }));
  const ids = answer.at("results").items.map((result) => result.at("tool_id").string);
  if (ids.length === 0) throw new Unverifiable(`the query ${wide} finds nothing on this server`);
  return { ids, search: answer.at("search_id").string };
}

/** Results for the same tools by two requests; the usual one is read twice, to see whether it says the same. */
interface Both {
  usual: Located[];
  compared: Located[];
}

/**
 * Reads related answers, and once more if they disagree: a contract may change between two readings.
 * @throws Unverifiable when it keeps changing
 */
async function untilQuiet(
  read: () => Promise<Both>,
  disagreements: (both: Both) => unknown[],
): Promise<Both> {
  const both = await read();
  if (disagreements(both).length === 0) return both;
  const again = await read();
  const changed = contradictionsAmong(both.usual, again.usual);
  if (disagreements(again).length === 0 || changed.length === 0) return again;
  throw new Unverifiable(`an Inspect says something else each time of ${changed.join(", ")}`);
}

/** What Discover and Inspect say about the same tools in one session, on which their prices depend. */
async function bothOf(
  account: Account,
  session: string,
  disagreements: (both: Both) => unknown[],
): Promise<Both> {
  const read = async (): Promise<Both> => {
    const answer = usable(await account.discover({ query: wide, session_id: session }));
    const results = answer.at("results").items;
    if (results.length === 0) throw new Unverifiable(`the query ${wide} finds nothing on this server`);
    const ids = results.map((result) => result.at("tool_id").string);
    const inspected = usable(await account.inspect({ tool_ids: ids, session_id: session }));
    return { usual: inspected.at("results").items, compared: results };
  };
  return untilQuiet(read, disagreements);
}

const disagreementsOf = ({ usual, compared }: Both): string[] => contradictionsAmong(compared, usual);

/** Requests only ids that Discover returned: whether others are ignored or refused, and by what status, is open. */
const refusesUnknown = (answer: Answer): boolean =>
  answer.status === 200
    ? isDeepStrictEqual(answer.at("results").value, []) &&
      ["error", "error_message"].some((name) => Boolean(answer.at(name).value))
    : [400, 404, 422].includes(answer.status);

/** The full contract of one tool; `more` extends the body. */
async function contractOf(
  account: Account,
  id: string,
  more: Record<string, unknown> = {},
): Promise<Located> {
  return usable(await account.inspect({ tool_ids: [id], ...more })).at("results.0");
}
