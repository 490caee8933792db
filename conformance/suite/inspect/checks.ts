import { check } from "../../runner/check.ts";
import { isFields } from "../../judge/seen.ts";
import { longestOf } from "../../judge/elapsed.ts";
import { oneOfFields } from "../../judge/params.ts";
import { usable, type Account } from "../../subject/account.ts";
import type { Answer, Located } from "../../judge/answer.ts";
import { Unverifiable } from "../../judge/verdict.ts";
import { contractFields, contradictionsAmong, deniesParams } from "./contracts.ts";
import { expectSame, shapeOf } from "../discover/results.checks.ts";
import { idsOf, wide, widest } from "../discover/checks.ts";

/** A few ids that Discover returns, with their search. */
async function someIds(account: Account, limit = 5): Promise<{ ids: string[]; search: string }> {
  const query = limit > 20 ? widest[0] : wide;
  const answer = usable(await account.discover({ query, limit }));
  const ids = answer.at("results").items.map((result) => result.at("tool_id").string);
  if (ids.length === 0) throw new Unverifiable(`the query ${wide} finds nothing on this server`);
  return { ids, search: answer.at("search_id").string };
}

/** Reads related answers, and once more if they disagree: a contract may change between two readings. */
async function untilQuiet<T>(read: () => Promise<T>, disagreements: (both: T) => unknown[]): Promise<T> {
  const both = await read();
  return disagreements(both).length === 0 ? both : read();
}

/** What Discover and Inspect say about the same tools in one session, on which their prices depend. */
async function bothOf(
  account: Account,
  session: string,
  disagreements: (found: Located[], inspected: Located[]) => unknown[],
): Promise<{ found: Located[]; inspected: Located[] }> {
  const read = async (): Promise<{ found: Located[]; inspected: Located[] }> => {
    const answer = usable(await account.discover({ query: wide, session_id: session }));
    const found = answer.at("results").items;
    if (found.length === 0) throw new Unverifiable(`the query ${wide} finds nothing on this server`);
    const ids = found.map((result) => result.at("tool_id").string);
    const inspected = usable(await account.inspect({ tool_ids: ids, session_id: session }));
    return { found, inspected: inspected.at("results").items };
  };
  return untilQuiet(read, ({ found, inspected }) => disagreements(found, inspected));
}

/** Requests only ids that Discover returned: whether others are ignored or refused is open. */
const refusesUnknown = ({ status }: Answer): boolean => [400, 404, 422].includes(status);

/** The full contract of one tool. */
async function contractOf(account: Account, id: string): Promise<Located> {
  return usable(await account.inspect([id])).at("results.0");
}

export const checks = [
  check(
    "INSP-02",
    "an Inspect that was never made before takes no longer than the client has waited",
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
    "what Discover says of a tool, Inspect says too",
    { needs: ["tool.charged"] },
    async ({ account, tool, expect }) => {
      const { id } = tool("charged");
      const found = usable(await account.discover(id)).at("results").items;
      const result = found.find((one) => one.at("tool_id").value === id);
      if (result === undefined) throw new Unverifiable(`the query ${id} does not find that tool`);
      const contract = await contractOf(account, id);
      const lacking = contractFields.filter((name) => result.at(name).present && !contract.at(name).present);
      expect(lacking, "the fields that only Discover shows").toBeEmpty();
    },
  ),

  check(
    "INSP-05",
    "what Discover says of parameters and prices, Inspect does not say otherwise",
    async ({ account, unique, expect }) => {
      const { found, inspected } = await bothOf(account, unique("session"), contradictionsAmong);
      expect(contradictionsAmong(found, inspected), "what Discover says otherwise than Inspect").toBeEmpty();
    },
  ),

  check(
    "INSP-13",
    "no tool that takes parameters has an explicitly empty contract in Discover",
    async ({ account, unique, expect }) => {
      const denied = (found: Located[], inspected: Located[]): unknown[] =>
        found
          .filter((result) =>
            inspected.some(
              (other) =>
                other.at("tool_id").value === result.at("tool_id").value && deniesParams(result, other),
            ),
          )
          .map((result) => result.at("tool_id").value);
      const { found, inspected } = await bothOf(account, unique("session"), denied);
      expect(denied(found, inspected), "the tools whose params are empty in Discover alone").toBeEmpty();
    },
  ),

  check(
    "INSP-06",
    "tool_ids that are missing, or no array of strings, are refused with 422",
    { needs: ["tool.charged"] },
    async ({ account, tool, expect }) => {
      const { id } = tool("charged");
      expect(await account.inspect([id])).toHaveStatus(200);
      expect(await account.inspect({})).toHaveStatus(422);
      expect(await account.inspect({ tool_ids: id })).toHaveStatus(422);
      expect(await account.inspect({ tool_ids: [id, 42] })).toHaveStatus(422);
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
    const answer = usable(await account.inspect(ids));
    expect(answer.at("total")).toBe(answer.at("results").items.length);
  }),

  check("INSP-10", "an Inspect repeats the search_id that it was given", async ({ account, expect }) => {
    const { ids, search } = await someIds(account);
    const answer = usable(await account.inspect({ tool_ids: ids, search_id: search }));
    expect(answer.at("search_id")).toBe(search);
  }),

  check("INSP-11", "view lean returns the same tools with less about each", async ({ account, expect }) => {
    const { ids } = await someIds(account);
    const read = async (): Promise<[full: Answer, lean: Answer]> => [
      usable(await account.inspect(ids)),
      usable(await account.inspect({ tool_ids: ids, view: "lean" })),
    ];
    const wrong = ([full, lean]: [Answer, Answer]): string[] =>
      contradictionsAmong(lean.at("results").items, full.at("results").items);
    const [full, lean] = await untilQuiet(read, wrong);
    expect(wrong([full, lean]), "what view lean says otherwise than the full view").toBeEmpty();
    expect(idsOf(lean).toSorted(), "the ids of the lean results").toBe(idsOf(full).toSorted());
    const size = (answer: Answer): number => JSON.stringify(answer.at("results").value).length;
    expect(size(lean), "the characters of the lean results").toBeAtMost(size(full) - 1);
  }),

  check(
    "INSP-12",
    "view full returns the same shape as an omitted view",
    { needs: ["tool.charged"] },
    async ({ account, tool, expect }) => {
      const { id } = tool("charged");
      const read = async (): Promise<[Located, Located]> => [
        await contractOf(account, id),
        usable(await account.inspect({ tool_ids: [id], view: "full" })).at("results.0"),
      ];
      const [omitted, full] = await read();
      expect(shapeOf(full), "the fields of view full").toBe(shapeOf(omitted));
      await expectSame(expect, [omitted, full], read);
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
    "an Inspect of several tools says of each what it says of it alone",
    { needs: ["tool.charged"] },
    async ({ account, profile, expect }) => {
      const roles = ["included", "charged", "enum", "one_of"] as const;
      const ids = [...new Set(roles.map((role) => profile.tools[role]?.id))].filter((id) => id !== undefined);
      const read = async (): Promise<[together: Located[], alone: Located[]]> => {
        const alone: Located[] = [];
        for (const id of ids) alone.push(await contractOf(account, id));
        return [usable(await account.inspect(ids)).at("results").items, alone];
      };
      const wrong = ([together, alone]: [Located[], Located[]]): string[] =>
        contradictionsAmong(together, alone);
      const both = await untilQuiet(read, wrong);
      expect(wrong(both), "what is said of several tools otherwise than of one").toBeEmpty();
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
        const value = parameters[param.at("name").string];
        if (value === undefined) continue;
        const holds = param.at("enum").items.some((one) => one.value === value);
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
    for (let time = 0; time < 3; time += 1) usable(await account.inspect(ids));
    await account.settled();
    expect(await account.credits(), "the credits after three Inspects").toBeCredits(before);
    expect(await entries(), "the entries of the ledger after three Inspects").toBe(booked);
  }),
];
