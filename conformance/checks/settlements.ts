import { isDeepStrictEqual } from "node:util";
import { canonical } from "../canonical.ts";
import { check } from "../check.ts";
import { usable, type Account, type Query } from "../target/account.ts";
import type { Answer, Located } from "../target/answer.ts";
import { apart, between, daysOf, idOf, instantText, steadily, wholeList } from "../target/history.ts";
import { entryOf, scopes, typeOf } from "../target/ledger-selection.ts";
import { until } from "../target/session.ts";
import { listIn, nextCursor, texts } from "../target/unnamed.ts";
import { Blocked, Unverifiable } from "../verdict.ts";

const feature = "settlement_history";
const charged = { needs: ["tool.charged"], feature } as const;

/** Pages that a walk along the cursors takes at most. */
const longestWalk = 400;

/** The data of a page of the settlement history. */
export const settlements = async (account: Account, query: Query = {}): Promise<Located> =>
  usable(await account.ask("listSettlements", { query })).at("data");

/** The settlements of a page; the contract does not show the name of the list. */
export function listed(data: Located): Located[] {
  const list = listIn(data);
  if (list) return list;
  throw new Unverifiable("the settlement history holds no list that can be told");
}

/**
 * What settlements are known by, whatever their fields are called: their members that two readings show alike, since a
 * signed link or the time of reading changes.
 * @throws Unverifiable when that does not tell one settlement from another
 */
function identityBy(reading: readonly Located[], again: readonly Located[]): (one: Located) => string {
  const changes = (name: string): boolean =>
    reading.some((one, index) => !isDeepStrictEqual(one.at(name).value, again[index]?.at(name).value));
  const names = [...new Set(reading.flatMap(({ value }) => Object.keys(value ?? {})))];
  const changing = new Set(names.filter(changes));
  const identity = ({ value }: Located): string =>
    canonical(Object.fromEntries(Object.entries(value ?? {}).filter(([name]) => !changing.has(name))));
  if (changing.size > 0 && new Set(reading.map(identity)).size < reading.length) {
    throw new Unverifiable("settlements show nothing that tells one from another");
  }
  return identity;
}

const looksLikeId = (text: string): boolean => /[0-9a-f-]{16,}/i.test(text);

/** The ids by which a call can be known in a settlement. */
interface Known {
  entry: Located;
  ids: readonly string[];
}

async function charge(account: Account, tool: Parameters<Account["succeed"]>[0]): Promise<Known> {
  const call = await account.succeed(tool);
  const entry = await entryOf(account, call);
  const event = await account.usageOf(call);
  return { entry, ids: [call.at("execution_id").string, String(idOf(entry)), String(idOf(event))] };
}

const isOf = (settlement: Located, { ids }: Known): boolean =>
  texts(settlement).some((text) => ids.includes(text));

const holds = (list: readonly Located[], known: Known): boolean => list.some((one) => isOf(one, known));

/** The newest settlements, as soon as the call is among them. @throws Unverifiable when they name no call at all */
async function withCall(account: Account, known: Known): Promise<Located[]> {
  const read = async (): Promise<Located[]> => listed(await settlements(account, { page_size: 500 }));
  return until(1000 * account.profile.audit_lag, read, (list) => holds(list, known));
}

/** As `withCall`, for a check that builds on it. */
async function settled(account: Account, known: Known): Promise<Located[]> {
  const list = await withCall(account, known);
  if (holds(list, known)) return list;
  throw new Blocked("the call, on which this builds, is not in the settlement history", list[0]?.exchange);
}

/** Every page along the cursors, from the newest on. */
async function walk(account: Account, size: number, query: Query = {}): Promise<Located[][]> {
  const pages: Located[][] = [];
  let cursor: string | null | undefined;
  do {
    const data = await settlements(account, { ...query, page_size: size, ...(cursor ? { cursor } : {}) });
    pages.push(listed(data));
    cursor = nextCursor(data);
    // A last page may leave the cursor out; a first page that is full and has none does not say how to go on.
    if (cursor === undefined && pages.length === 1 && pages[0]!.length >= size)
      throw new Unverifiable("the settlement history names no cursor that can be told");
    if (pages.length > longestWalk) throw new Unverifiable("the settlement history is too long to be walked");
  } while (typeof cursor === "string");
  return pages;
}

const refused = async (account: Account, size: number): Promise<Answer> =>
  account.ask("listSettlements", { query: { page_size: size } });

export const settlementHistory = [
  check("ACCT-12", "the settlement history is read with 200", { feature }, async ({ account, expect }) => {
    expect(await account.ask("listSettlements")).toHaveStatus(200);
  }),

  check(
    "ACCT-13",
    "a charged Call appears in the settlement history",
    charged,
    async ({ account, tool, expect }) => {
      const known = await charge(account, tool("charged"));
      const list = await withCall(account, known);
      if (!holds(list, known) && list.length > 0) {
        const ids = (await wholeList(account, "listLedger")).map((entry) => String(idOf(entry)));
        const others = { entry: known.entry, ids: ids.filter((id) => !known.ids.includes(id)) };
        const named = holds(list, others) || list.some((one) => texts(one).some(looksLikeId));
        if (!named) throw new Unverifiable("settlements carry no ids to be told by");
      }
      expect(holds(list, known), "whether the charged Call is among the settlements").toBe(true);
    },
  ),

  check(
    "ACCT-14",
    "a page of the settlement history holds at most page_size settlements",
    charged,
    async ({ account, tool, expect }) => {
      await charge(account, tool("charged"));
      await settled(account, await charge(account, tool("charged")));
      for (const size of [1, 2]) {
        const list = listed(await settlements(account, { page_size: size }));
        expect(list.length, `the settlements of a page of ${size}`).toBeBetween(1, size);
      }
    },
  ),

  check(
    "ACCT-16",
    "a page_size of 1 and one of 500 are accepted",
    { feature },
    async ({ account, expect }) => {
      for (const size of [1, 500]) expect(await refused(account, size)).toHaveStatus(200);
    },
  ),

  check(
    "ACCT-17",
    "a settlement history page_size of 0, -1 or 501 is refused with 422",
    { feature },
    async ({ account, expect }) => {
      expect(await refused(account, 500)).toHaveStatus(200);
      for (const size of [0, -1, 501]) expect(await refused(account, size)).toHaveStatus(422);
    },
  ),

  check(
    "ACCT-18",
    "the cursor leads through every settlement once",
    charged,
    async ({ account, tool, expect }) => {
      await charge(account, tool("charged"));
      await settled(account, await charge(account, tool("charged")));
      await account.settled();
      const { taken } = await steadily(account, "listLedger", async () => ({
        whole: (await walk(account, 500)).flat(),
        again: (await walk(account, 500)).flat(),
        steps: await walk(account, 3),
      }));
      const { whole, again, steps } = taken;
      const identity = identityBy(whole, again);
      const walked = steps.flat().map(identity);
      const twice = walked.filter((one, index) => walked.indexOf(one) !== index);
      expect(twice, "settlements that the walk shows twice").toBeEmpty();
      const left = whole.map(identity).filter((one) => !walked.includes(one));
      expect(left, "settlements that the walk leaves out").toBeEmpty();
      expect(walked.length, "the settlements of the walk").toBe(whole.length);
      expect(Math.max(...steps.map((one) => one.length)), "the settlements of its longest page").toBeAtMost(
        3,
      );
    },
  ),

  check(
    "ACCT-19",
    "the settlement history keeps to start_date and end_date",
    charged,
    async ({ account, tool, expect }) => {
      const first = await charge(account, tool("charged"));
      await apart([first.entry]);
      const second = await charge(account, tool("charged"));
      const third = await charge(account, tool("charged"));
      const all = await settled(account, third);
      if (!holds(all, first)) throw new Blocked("the first call is not settled", first.entry.exchange);
      if (!holds(all, second)) throw new Blocked("the second call is not settled", second.entry.exchange);
      const instant = instantText(between(first.entry, second.entry));
      const since = listed(await settlements(account, { start_date: instant, page_size: 500 }));
      const before = listed(await settlements(account, { end_date: instant, page_size: 500 }));
      const halves = { since, before };
      for (const [name, list] of Object.entries(halves)) {
        expect(holds(list, first), `whether the earlier Call is there ${name}`).toBe(name === "before");
        expect(holds(list, second), `whether the later Call is there ${name}`).toBe(name === "since");
      }
      const walked = (await walk(account, 1, { start_date: instant })).flat();
      expect(holds(walked, first), "whether the earlier Call is on some page since").toBe(false);
      expect(holds(walked, second), "whether the later Call is on some page since").toBe(true);
      const { earliest: start_date, latest: end_date } = daysOf(second.entry);
      const day = listed(await settlements(account, { start_date, end_date, page_size: 500 }));
      expect(holds(day, second), "whether the later Call is there on its day, its end included").toBe(true);
    },
  ),

  check(
    "ACCT-20",
    "without scope the settlement history is that of account_history",
    charged,
    async ({ account, tool, expect }) => {
      const known = await charge(account, tool("charged"));
      await settled(account, known);
      await account.settled();
      const { all, taken } = await steadily(account, "listLedger", async () => ({
        plain: (await walk(account, 500)).flat(),
        again: (await walk(account, 500)).flat(),
        scoped: listed(await settlements(account, { scope: "account_history", page_size: 500 })),
      }));
      const { plain, again, scoped } = taken;
      const identity = identityBy(plain, again);
      expect(
        plain.slice(0, scoped.length).map(identity),
        "the settlements without scope, beside those with it",
      ).toBe(scoped.map(identity));
      const outside = all.filter((entry) => !scopes["account_history"]!.includes(String(typeOf(entry))));
      const strange = outside.filter((entry) => holds(plain, { entry, ids: [String(idOf(entry))] }));
      expect(
        strange.map((entry) => entry.value),
        "entries of other types among the settlements",
      ).toBeEmpty();
    },
  ),

  check(
    "ACCT-21",
    "the cursor of another account's settlement history leads to none of its settlements",
    { needs: ["tool.charged", "other_account"], feature },
    async ({ account, other, tool, expect }) => {
      const owner = await other();
      const theirs = await charge(owner, tool("charged"));
      await settled(owner, theirs);
      await settled(owner, await charge(owner, tool("charged")));
      const cursor = nextCursor(await settlements(owner, { page_size: 1 }));
      if (typeof cursor !== "string")
        throw new Unverifiable("the settlement history names no cursor that can be told");
      const answer = await account.ask("listSettlements", { query: { page_size: 1, cursor } });
      const list = answer.status === 200 ? (listIn(answer.at("data")) ?? []) : [];
      expect(holds(list, theirs), "whether the other account's Call is among the settlements").toBe(false);
    },
  ),

  check(
    "ACCT-21",
    "the settlement history of an account holds nothing of another's",
    { needs: ["tool.charged", "other_account"], feature },
    async ({ account, other, tool, expect }) => {
      const theirs = await charge(await other(), tool("charged"));
      const list = await settled(account, await charge(account, tool("charged")));
      expect(holds(list, theirs), "whether another account's Call is among the settlements").toBe(false);
      const own = (await wholeList(account, "listLedger")).map(idOf);
      expect(own.includes(idOf(theirs.entry)), "whether it is in the own ledger").toBe(false);
    },
  ),
];
