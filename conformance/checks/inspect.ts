import { check } from "../check.ts";
import { oneOfGroups } from "../rules/params.ts";
import { usable, type Account } from "../target/account.ts";
import type { Answer, Located } from "../target/answer.ts";
import { Unverifiable } from "../verdict.ts";
import { shapeOf } from "./discover-results.ts";
import { wide } from "./discover.ts";

/** The fields of a capability result that the contract names; a ranking may add others to Discover's. */
const contractFields = [
  "name",
  "description",
  "provider_name",
  "params",
  "examples",
  "expected_cost",
  "billing_rule",
  "cost",
];

/** A few ids that Discover returns, with the search that did. */
async function someIds(account: Account): Promise<{ ids: string[]; search: string }> {
  const answer = usable(await account.discover({ query: wide, limit: 5 }));
  const ids = answer.at("results").items.map((result) => result.at("tool_id").string);
  if (ids.length === 0) throw new Unverifiable(`the query ${wide} finds nothing on this server`);
  return { ids, search: answer.at("search_id").string };
}

const idsOf = (answer: Answer): unknown[] =>
  answer.at("results").items.map((result) => result.at("tool_id").value);

/** The contract of one tool in full. */
async function contractOf(account: Account, id: string): Promise<Located> {
  return usable(await account.inspect([id])).at("results.0");
}

export const inspect = [
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
    async ({ account, expect }) => {
      const { ids } = await someIds(account);
      const answer = await account.inspect(ids);
      expect(answer).toHaveStatus(200);
      const inspected = idsOf(answer);
      expect(
        ids.filter((id) => !inspected.includes(id)),
        "the ids without a result",
      ).toBeEmpty();
    },
  ),

  check(
    "INSP-08",
    "an Inspect returns no tool that was not asked for, and none for an unknown id",
    async ({ account, unique, expect }) => {
      const { ids } = await someIds(account);
      const asked = ids.slice(0, 1);
      const inspected = idsOf(usable(await account.inspect([...asked, unique("no-such-tool")])));
      expect(inspected, "the ids of the results").toBe(asked);
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
    const full = usable(await account.inspect(ids));
    const lean = usable(await account.inspect({ tool_ids: ids, view: "lean" }));
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
      const omitted = await contractOf(account, id);
      const full = usable(await account.inspect({ tool_ids: [id], view: "full" })).at("results.0");
      expect(shapeOf(full), "the fields of view full").toBe(shapeOf(omitted));
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
    "INSP-14",
    "each member of a one-of group is marked",
    { needs: ["tool.one_of"] },
    async ({ account, tool, expect }) => {
      const params = (await contractOf(account, tool("one_of").id)).at("params");
      const groups = oneOfGroups(params.items.map((param) => param.value));
      expect(groups, "the groups that are marked one_of_required").toHoldSomething();
      for (const group of groups) {
        expect(group.length, "the members of a one-of group").toBeAtLeast(2);
      }
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
