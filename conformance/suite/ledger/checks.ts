import { check, type Stage } from "../../run/check.ts";
import { amountOf, balanceOf, settledOf } from "../../judge/rows.ts";
import { usable, type Account } from "../../server/account.ts";
import type { Answer, Located } from "../../judge/answer.ts";
import { sameCredits, sumOf } from "../../judge/credits.ts";
import { shown } from "../../judge/expect.ts";
import { lastMonth, page, steadily, wholeList, wholePage } from "../../server/lists.ts";
import { createdAt, idOf } from "../../books/listed.ts";
import { until } from "../../server/session.ts";
import { unheardOf } from "../../server/unheard-of.ts";
import { Blocked, Unverifiable } from "../../judge/verdict.ts";
import { queryCapability } from "../usage/activity.ts";
import { each } from "../../server/requests.ts";
import { refuses } from "../refusals.ts";
import { entryOf, expectSame, holdsEntry, typeOf } from "./entries.ts";

const charged = { needs: ["tool.charged"] } as const;

export const checks = [
  check(
    "LEDG-07",
    "a charged Call leaves an entry of type consume_tool_execute",
    charged,
    async ({ account, tool, expect }) => {
      const call = await account.succeed(tool("charged"));
      const event = await account.usageOf(call);
      const { value: outcome } = event.at("charge_outcome");
      if (outcome !== "charged")
        throw new Blocked(`charge_outcome of the charged tool's Call: ${shown(outcome)}`, event.exchange);
      const types = (await account.ledgerOf(call)).map(typeOf);
      expect(types, "the types of the call's ledger entries").toBe(["consume_tool_execute"]);
    },
  ),

  check(
    ["LEDG-10", "LEDG-17"],
    "the entry that a call's event links to names the call, and carries its settled amount negated",
    charged,
    async ({ account, tool, expect }) => {
      const call = await account.succeed(tool("charged"));
      const event = await until(
        account.lagMs,
        () => account.usageOf(call),
        (event) => event.at("credits_ledger_entry_id").present,
      );
      const settled = settledOf(event);
      if (settled === undefined) throw new Blocked("the event shows no settled amount", event.exchange);
      const read = await until(
        account.lagMs,
        () => entry(account, String(event.at("credits_ledger_entry_id").value)),
        ({ status }) => status === 200,
      );
      const found = usable(read).at("data");
      expect(found.at("amount_credits")).toBeCredits(-settled);
      const executionId = found.at("execution_id");
      if (executionId.present) expect(executionId).toBe(call.at("execution_id").string);
    },
  ),

  check(
    "LEDG-11",
    "the entry of a charged Call carries its references, its settlement, its execution_id and both balances",
    { ...charged, credits: 10 },
    async (stage) => {
      const { account, profile, tool, expect } = stage;
      const calls = [await account.succeed(tool("charged")), await queryCapability(stage)];
      if (profile.tools.failed_charged) calls.push(await account.call(tool("failed_charged")));
      for (const call of calls) {
        const found = call?.at("execution_id").present ? (await account.ledgerOf(call))[0] : undefined;
        if (!found && call === calls[0])
          throw new Blocked("the charged Call left no ledger entry", call?.exchange);
        // The cost of a capability query or a failed Call is judged elsewhere.
        if (!found) continue;
        for (const name of call === calls[0] ? [...recorded, ...optional] : optional) {
          expect(found.at(name)).toBePresent();
        }
      }
    },
  ),

  check(
    "LEDG-15",
    "the balances of calls in a row chain, and end at what the account has left",
    charged,
    async ({ account, tool, expect }) => {
      const chain: Located[] = [];
      for (let time = 0; time < 3; time += 1) {
        chain.push(await entryOf(account, await account.succeed(tool("charged"))));
      }
      expectChain(expect, chain);
      const left = await account.credits();
      expect(chain.at(-1)!.at("balance_after.total_available_credits")).toBeCredits(left);
    },
  ),

  check(
    "LEDG-48",
    "the balances of Calls chain while nothing else moves what the account has left",
    charged,
    async (stage) => {
      const { account, tool, expect } = stage;
      await account.settled();
      const before = await account.credits();
      const chain: Located[] = [];
      const add = async (answer: Answer): Promise<unknown> => chain.push(await entryOf(account, answer));
      for (let time = 0; time < 2; time += 1) await add(await account.succeed(tool("charged")));
      const query = await queryCapability(stage);
      if (query?.status === 200 && Number(query.at("credits_used").value) > 0) await add(query);
      await add(await account.succeed(tool("charged")));
      await account.settled();
      const fall = before - (await account.credits());
      if (!sameCredits(fall, -sumOf(chain.map((entry) => amountOf(entry) ?? 0))))
        throw new Unverifiable("something else moved what the account has left");
      if (chain.some((entry) => balanceOf(entry, "before") === undefined))
        throw new Unverifiable("the entries show no balance");
      expectChain(expect, chain);
    },
  ),

  check(
    "LEDG-15",
    "the balances of calls at the same time chain",
    { ...charged, credits: 20 },
    async ({ account, tool, expect }) => {
      await account.settled();
      const known = new Set((await wholeList(account, "listLedger")).map(idOf));
      const calls = await Promise.all(Array.from({ length: 8 }, () => account.succeed(tool("charged"))));
      for (const call of calls) await entryOf(account, call);
      const added = (await wholeList(account, "listLedger")).filter((entry) => !known.has(idOf(entry)));
      const balanceBefore = (entry: Located): number => balanceOf(entry, "before") ?? 0;
      expectChain(
        expect,
        added.toSorted((one, two) => balanceBefore(two) - balanceBefore(one)),
      );
    },
  ),

  check(
    "LEDG-03",
    "an entry that is read again, after further calls, is the same",
    charged,
    async ({ account, tool, expect }) => {
      const first = await entryOf(account, await account.succeed(tool("charged")));
      const again = await entryOf(account, await account.succeed(tool("charged")));
      if (idOf(again) === idOf(first)) throw new Blocked("two calls have one entry", again.exchange);
      const entries = await wholeList(account, "listLedger");
      const same = entries.find((entry) => idOf(entry) === idOf(first));
      expect(same, "the entry read again").toBePresent();
      expectSame(expect, first, same!);
    },
  ),

  check("LEDG-08", "a Discover that costs nothing leaves no entry", async ({ account, expect }) => {
    const before = await account.credits();
    const known = (await wholeList(account, "listLedger")).map(idOf);
    for (const query of ["weather", "market price"]) usable(await account.discover(query));
    await account.settled();
    if ((await account.credits()) < before)
      throw new Unverifiable("this deployment charges Discover, as it may");
    const fresh = (await wholeList(account, "listLedger")).filter((entry) => !known.includes(idOf(entry)));
    const searches = fresh.filter((entry) => typeOf(entry) === "consume_tool_search");
    expect(
      searches.map((search) => search.value),
      "consume_tool_search entries of free searches",
    ).toBeEmpty();
  }),

  check(
    "LEDG-18",
    "an entry read by its id agrees with the list",
    async ({ account, profile, tool, expect }) => {
      // Changes the balance, so it differs from that of older entries.
      if (profile.tools.charged) await entryOf(account, await account.succeed(tool("charged")));
      await newestOf(account);
      const newest = (await page(account, "listLedger", { page_size: 3 })).at("data.items").items;
      const grants = await page(account, "listLedger", { direction: "grant", page_size: 1 });
      for (const listed of [...newest, ...grants.at("data.items").items]) {
        const answer = await listedEntry(account, idOf(listed));
        expect(answer).toHaveStatus(200);
        expectSame(expect, listed, answer.at("data"));
      }
    },
  ),

  check("LEDG-19", "an unknown entry_id is not answered with success", async ({ account, expect }) => {
    const id = idOf(await newestOf(account));
    expect(await listedEntry(account, id)).toHaveStatus(200);
    expect(await entry(account, unheardOf(id))).toHaveFoundNothing();
    expect(await entry(account, "no-such-entry")).toHaveFoundNothing();
  }),

  check(
    "LEDG-47",
    "an entry_id that is not a UUID is not refused as invalid",
    async ({ account, expect }) => {
      expect(await listedEntry(account, idOf(await newestOf(account)))).toHaveStatus(200);
      const unknown = await entry(account, "no-such-entry");
      expect(unknown).toHaveFoundNothing();
      expect(unknown.status, "the status of an entry_id that is any string").not(422);
    },
  ),

  check(
    "LEDG-20",
    "an entry of another account is not answered with success, and its owner reads it",
    { needs: ["other_account"] },
    async ({ account, other, expect }) => {
      const owner = await other();
      const id = idOf(await newestOf(owner));
      expect(await listedEntry(owner, id)).toHaveStatus(200);
      // Otherwise the account would read its own entry.
      holdsEntry(await wholeList(account, "listLedger"), id);
      const answer = await entry(account, id);
      expect(answer).toHaveFoundNothing();
      expect(answer.at("data").present, "whether data is answered with the refusal").toBe(false);
    },
  ),

  check(
    ["LEDG-26", "LEDG-20"],
    "the ledger of an account holds no entry of another account",
    { needs: ["tool.charged", "other_account"] },
    async ({ account, other, tool, expect }) => {
      const owner = await other();
      const call = await owner.succeed(tool("charged"));
      const theirs = idOf(await entryOf(owner, call));
      const mine = idOf(await entryOf(account, await account.succeed(tool("charged"))));
      const entries = await wholeList(account, "listLedger");
      const ids = entries.map(idOf);
      expect(ids.includes(mine), "whether its own entry is there").toBe(true);
      const executions = entries.map((entry) => entry.at("execution_id").value);
      const foreign = executions.includes(call.at("execution_id").string);
      expect(foreign, "whether another account's execution is there").toBe(false);
      expect(holdsEntry(entries, theirs), "whether another account's entry is there").toBe(false);
      expect(await entry(account, theirs)).toHaveFoundNothing();
    },
  ),

  check(
    ["LEDG-22", "LEDG-41"],
    "the pages of the ledger hold every entry once, newest first",
    charged,
    async ({ account, tool, expect }) => {
      await entryOf(account, await account.succeed(tool("charged")));
      await entryOf(account, await account.succeed(tool("charged")));
      const count = (await wholeList(account, "listLedger")).length;
      const size = Math.min(wholePage, Math.max(1, Math.ceil(count / 3)));
      const { all, taken } = await steadily(account, "listLedger", async () => {
        const pages: Located[] = [];
        for (let number = 1; number <= Math.ceil(count / size); number += 1) {
          const answer = await page(account, "listLedger", { page_size: size, page: number });
          pages.push(...answer.at("data.items").items);
        }
        return pages;
      });
      atLeastTwo(all);
      // Entries with equal timestamps may be in any order.
      expect(taken.map(idOf).sort(), "the ids of all pages together").toBe(all.map(idOf).sort());
      const times = taken.map(createdAt);
      const late = times.findIndex((time, index) => index > 0 && time > times[index - 1]!);
      expect(late, "the place of an entry that is newer than the one before it").toBe(-1);
    },
  ),

  check(
    ["LEDG-23", "LEDG-24", "LEDG-41"],
    "total is the number of matching entries on every page, a page holds page_size of them, and none beyond the last",
    charged,
    async ({ account, tool, expect }) => {
      await entryOf(account, await account.succeed(tool("charged")));
      const size = { page_size: 1 };
      const query = { ...size, direction: "consume" };
      const { all, taken } = await steadily(account, "listLedger", async () => ({
        first: await page(account, "listLedger", { ...size, page: 1 }),
        second: await page(account, "listLedger", { ...size, page: 2 }),
        beyond: await page(account, "listLedger", { ...size, page: 100_000 }),
        filtered: await page(account, "listLedger", query),
      }));
      atLeastTwo(all);
      const { first, second, beyond, filtered } = taken;
      for (const answer of [first, second, beyond]) expect(answer.at("data.total")).toBe(all.length);
      expect(filtered.at("data.total")).toBe(all.filter((entry) => amountOf(entry)! < 0).length);
      expect(beyond.at("data.items"), "the items of a page beyond the last").toBeEmpty();
      expect(first.at("data.items")).toHaveLength(1);
      expect(second.at("data.items")).toHaveLength(1);
    },
  ),

  check("LEDG-25", "summary is an object when it is asked for, else null", async (stage) => {
    const { account, expect } = stage;
    expect((await page(account, "listLedger", { summary: true })).at("data.summary")).toBeA("object");
    for (const { reader, window } of lastMonth(stage)) {
      const second = await page(reader, "listLedger", { ...window, summary: true, page: 2, page_size: 1 });
      expect(second.at("data.summary"), "the summary on page 2").toBeA("object");
    }
    for (const query of [{}, { summary: false }]) {
      expect((await page(account, "listLedger", query)).at("data.summary").value ?? null, "summary").toBe(
        null,
      );
    }
  }),

  check("LEDG-42", "without page_size and limit a page has 50 entries", async ({ account, expect }) => {
    expect((await page(account, "listLedger")).at("data.page_size")).toBe(50);
  }),

  check("LEDG-43", "a page_size of 1 and one of 500 are accepted", async ({ account, expect }) => {
    for (const size of [1, 500]) {
      const answer = await account.ledger({ page_size: size });
      expect(answer).toHaveStatus(200);
      expect(answer.at("data.page_size")).toBe(size);
    }
  }),

  refuses("LEDG-44", "a page_size of 0, -1 or 501 is refused", "listLedger", {
    valid: [{ page_size: 500 }],
    invalid: each("page_size", [0, -1, 501]),
    with: "400 or 422",
  }),

  refuses(
    "LEDG-40",
    "a page or limit below 1 and a summary that is not a boolean are refused",
    "listLedger",
    {
      valid: each("limit", [1, 50], { page: 1, summary: true }),
      invalid: [...each(["page", "limit"], [0, -1]), { summary: "perhaps" }],
      with: "400 or 422",
    },
  ),
];

/** Fields that an entry of a charged Call should have, and those that any Call's should have when available. */
const recorded = ["source_system", "source_ref_type", "source_ref_id", "settlement_result", "description"];
const optional = [
  "execution_id",
  "balance_before.total_available_credits",
  "balance_after.total_available_credits",
];

const entry = (account: Account, id: string): Promise<Answer> =>
  account.ask("getLedgerEntry", { parameter: id });

/** An entry from a list, read by id, which may lag slightly. */
const listedEntry = (account: Account, id: string): Promise<Answer> =>
  until(
    account.lagMs,
    () => entry(account, id),
    ({ status }) => status === 200,
  );

/** The newest entry of an account that has one. */
async function newestOf(account: Account): Promise<Located> {
  const [newest] = (await page(account, "listLedger")).at("data.items").items;
  if (newest) return newest;
  throw new Unverifiable("the account has no ledger entry");
}

/** Expects each entry to start from the balance its predecessor left. @throws Unverifiable without balances */
function expectChain(expect: Stage["expect"], chain: readonly Located[]): void {
  for (const [index, entry] of chain.entries()) {
    const left = index === 0 ? balanceOf(entry, "before") : balanceOf(chain[index - 1]!, "after");
    if (left === undefined || balanceOf(entry, "after") === undefined) {
      throw new Unverifiable("the entries of Calls carry no balances");
    }
    expect(entry.at("balance_before.total_available_credits")).toBeCredits(left);
  }
}

/** At least two entries, so order and pages can be observed. */
function atLeastTwo(entries: readonly Located[]): void {
  if (entries.length < 2) throw new Unverifiable("the account has fewer than two ledger entries");
}
