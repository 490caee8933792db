import { isDeepStrictEqual } from "node:util";
import { canonical } from "../../../base/data.ts";
import { isZoneless, momentOf } from "../../judge/instant.ts";
import { check, type Stage } from "../../run/check.ts";
import type { Account, Query } from "../../server/account.ts";
import { Located } from "../../judge/answer.ts";
import { expectPaged, itemsOf, pageOf, pagesOf } from "../../server/cursor.ts";
import { amountOf } from "../../judge/rows.ts";
import { expectTelling } from "../../server/row-readers.ts";
import { steadily, untilLater, wholeList } from "../../server/lists.ts";
import { dayOf, daysOfAll, idOf, instantBetween, instantLike } from "../../books/listed.ts";
import { areNamed, auditSettlements, namesOf } from "../../books/other-reads.ts";
import type { Anomaly } from "../../books/pairs.ts";
import { isEntryOfCall } from "../../books/writes.ts";
import { wantedBy } from "../../books/filters.ts";
import { each } from "../../server/requests.ts";
import { refuses } from "../refusals.ts";
import { entryOf, holdsEntry, withTwoPrices } from "../ledger/entries.ts";
import { eventOf } from "../usage/activity.ts";
import { until } from "../../server/session.ts";
import { registerTrial } from "../../server/trials.ts";
import { Blocked, Unverifiable } from "../../judge/verdict.ts";
import type { Use } from "../../server/profile.ts";

const feature = "settlement_history";
const charged = { needs: ["tool.charged"], feature } as const;

export const checks = [
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
      if (holds(list, known) || list.length === 0 || (await namesCalls(account, list))) {
        expect(holds(list, known), "whether the charged Call is among the settlements").toBe(true);
        return;
      }
      const count = async (): Promise<number> => (await walk(account, 500)).flat().length;
      const before = await count();
      await account.succeed(tool("charged"));
      await account.settled();
      const after = await until(account.lagMs, count, (there) => there > before);
      expect(after, "the settlements after one more charged Call").toBeAtLeast(before + 1);
    },
  ),

  check(
    "ACCT-13",
    "every charged Call is in the settlement history, whatever its kind and age",
    { feature, needs: ["every_kind"] },
    async ({ everyKind, expect }) => {
      const account = everyKind();
      const [entries, events] = [
        await wholeList(account, "listLedger"),
        await wholeList(account, "listUsage"),
      ];
      if (!entries.some((entry) => isEntryOfCall(entry.fields)))
        throw new Unverifiable("the account has no charged Call");
      const items = (await walk(account, 500, daysOfAll(entries))).flat().map(({ value }) => value);
      const absent: Anomaly[] = [];
      const books = {
        events: events.map(({ fields }) => fields),
        entries: entries.map(({ fields }) => fields),
      };
      if (!auditSettlements(items, books, (anomaly) => absent.push(anomaly)))
        throw new Unverifiable("settlements carry no ids");
      const calls = absent.filter(({ clauses }) => clauses.includes("ACCT-13"));
      expect(
        calls.map(({ entry }) => entry?.["id"]),
        "the entries of Calls that no settlement is of",
      ).toBeEmpty();
    },
  ),

  check(
    "ACCT-13",
    "the settlements of two Calls at different prices show what they are of",
    { needs: ["tool.charged", "tool.charged_decimal"], feature },
    async ({ account, tool, expect }) => {
      const entries = await withTwoPrices(account, tool);
      const list = (await newest(account)).map(({ value }) => value);
      expectTelling(expect, "the settlements", list, entries, amountOf);
    },
  ),

  check(
    "ACCT-14",
    "a page of the settlement history holds at most page_size settlements",
    charged,
    async ({ account, tool, expect }) => {
      await atLeastTwo(account, tool("charged"));
      for (const size of [1, 2]) {
        const list = await settlements(account, { page_size: size });
        expect(list.length, `the settlements of a page of ${size}`).toBeBetween(1, size);
      }
    },
  ),

  check(
    "ACCT-16",
    "a page_size of 1 and one of 500 are accepted",
    { feature },
    async ({ account, expect }) => {
      for (const query of each("page_size", [1, 500]))
        expect(await account.ask("listSettlements", { query })).toHaveStatus(200);
    },
  ),

  refuses(
    "ACCT-17",
    "a settlement history page_size of 0, -1 or 501 is refused",
    "listSettlements",
    { valid: [{ page_size: 500 }], invalid: each("page_size", [0, -1, 501]), with: "400 or 422" },
    { feature },
  ),

  check(
    "ACCT-18",
    "the settlement history shows its settlements as a list, of which a page leads to the next",
    { ...charged, credits: 6 },
    async (stage) => {
      const { account, tool } = stage;
      for (let time = 0; time < 3; time += 1) await account.succeed(tool("charged"));
      await account.settled();
      await expectPaged(stage, "listSettlements", {});
    },
  ),

  check(
    "ACCT-18",
    "the cursor leads through every settlement once",
    { ...charged, credits: 8 },
    async ({ account, tool, expect }) => {
      await atLeastTwo(account, tool("charged"), 4);
      const { taken } = await steadily(account, "listLedger", async () => {
        const whole = (await walk(account, 500)).flat();
        const size = sizeWithinMoment(whole);
        return { whole, size, again: (await walk(account, 500)).flat(), steps: await walk(account, size) };
      });
      const { whole, size, again, steps } = taken;
      const identity = identityBy(whole, again);
      const all = whole.map(identity);
      const repeated = whole.filter((_, index) => all.indexOf(all[index]!) < index);
      if (repeated.length > 0 && !(await namesCalls(account, repeated))) throw alike();
      const walked = steps.flat().map(identity);
      const twice = walked.filter((id, index) => walked.indexOf(id) !== index);
      expect(twice, "settlements that the walk shows twice").toBeEmpty();
      const left = all.filter((id) => !walked.includes(id));
      expect(left, "settlements that the walk leaves out").toBeEmpty();
      expect(walked.length, "the settlements of the walk").toBe(whole.length);
      const longest = Math.max(...steps.map((step) => step.length));
      expect(longest, "the settlements of its longest page").toBeAtMost(size);
    },
  ),

  check(
    ["ACCT-19", "ACCT-18"],
    "the settlement history respects start_date and end_date",
    charged,
    async ({ account, tool, expect }) => {
      const first = await charge(account, tool("charged"));
      for (const row of rowsOf(first)) await untilLater(row);
      const second = await charge(account, tool("charged"));
      const third = await charge(account, tool("charged"));
      const all = await settled(account, third);
      if (!holds(all, first)) throw new Blocked("the first call is not settled", first.entry.exchange);
      if (!holds(all, second)) throw new Blocked("the second call is not settled", second.entry.exchange);
      const instant = instantBetween(rowsOf(first), rowsOf(second));
      const since = await settlements(account, { start_date: instant, page_size: 500 });
      const before = await settlements(account, { end_date: instant, page_size: 500 });
      const halves = { since, before };
      for (const [name, list] of Object.entries(halves)) {
        expect(holds(list, first), `whether the earlier Call is there ${name}`).toBe(name === "before");
        expect(holds(list, second), `whether the later Call is there ${name}`).toBe(name === "since");
      }
      if (!isZoneless(second.entry.at("created_at").value)) {
        const start_date = instantLike(second.entry, momentOf(instant)!, 630);
        const list = await settlements(account, { start_date, page_size: 500 });
        expect(
          holds(list, first),
          "whether the earlier Call is there since the instant in another zone",
        ).toBe(false);
        expect(holds(list, second), "whether the later Call is there since the instant in another zone").toBe(
          true,
        );
      }
      // A cursor may be lost when used with one date or the other.
      const dates = { start_date: instant, end_date: dayOf(third.entry, 1) };
      const walked = (await walk(account, 1, dates)).flat();
      expect(holds(walked, first), "whether the earlier Call is on some page since").toBe(false);
      expect(holds(walked, second), "whether the later Call is on some page since").toBe(true);
      const days: string[] = [];
      for (const day of [-1, 0, 1].map((shift) => dayOf(second.entry, shift))) {
        const list = await settlements(account, { start_date: day, end_date: day, page_size: 500 });
        if (holds(list, second)) days.push(day);
      }
      expect(days, "the days that hold the later Call, each as start and end").toHaveLength(1);
    },
  ),

  check(
    "ACCT-20",
    "without scope the settlement history is that of account_history",
    charged,
    async (stage) => {
      const { tool, expect } = stage;
      const account = await withMoreThanHistory(stage);
      await atLeastTwo(account, tool("charged"));
      const { all, taken } = await steadily(account, "listLedger", async () => ({
        plain: (await walk(account, 500)).flat(),
        again: (await walk(account, 500)).flat(),
        scoped: await settlements(account, { scope: "account_history", page_size: 500 }),
      }));
      const { plain, again, scoped } = taken;
      const identity = identityBy(plain, again);
      // Those of one moment may be in any order.
      const shown = plain.slice(0, scoped.length).map(identity).toSorted();
      expect(
        plain[0] === undefined ? shown : new Located(shown, "", plain[0].exchange),
        "the settlements without scope, beside those with it",
      ).toBe(scoped.map(identity).toSorted());
      if (!(await namesCalls(account, plain))) throw new Unverifiable("settlements carry no ids");
      const strange = all
        .filter(isOutsideHistory)
        .filter((entry) => holds(plain, { ids: namesOf([{ id: idOf(entry) }]) }));
      expect(
        strange.map((entry) => entry.value),
        "entries of other types among the settlements",
      ).toBeEmpty();
    },
  ),

  check(
    "ACCT-21",
    "a cursor from another account's settlement history reveals none of its settlements",
    { needs: ["tool.charged", "other_account"], feature },
    async ({ account, other, tool, expect }) => {
      const owner = await other();
      const theirs = await charge(owner, tool("charged"));
      await settled(owner, theirs);
      await settled(owner, await charge(owner, tool("charged")));
      const next = (await pageOf(owner, "listSettlements", { page_size: 1 })).next();
      if (next === null) throw new Unverifiable("the settlement history ends with its first settlement");
      const answer = await account.ask("listSettlements", { query: { page_size: 1, cursor: next.value } });
      const list = answer.status === 200 ? itemsOf(answer) : [];
      expect(holds(list, theirs), "whether the other account's Call is among the settlements").toBe(false);
    },
  ),

  check(
    "ACCT-21",
    "the settlement history of an account holds nothing of another account",
    { needs: ["tool.charged", "other_account"], feature },
    async ({ account, other, tool, expect }) => {
      const theirs = await charge(await other(), tool("charged"));
      const list = await settled(account, await charge(account, tool("charged")));
      expect(holds(list, theirs), "whether another account's Call is among the settlements").toBe(false);
      const entries = await wholeList(account, "listLedger");
      expect(holdsEntry(entries, idOf(theirs.entry)), "whether it is in the account's own ledger").toBe(
        false,
      );
    },
  ),
];

/** The settlements of a page. */
export const settlements = async (account: Account, query: Query = {}): Promise<Located[]> =>
  (await pageOf(account, "listSettlements", query)).items;

/**
 * Identifies settlements whatever their fields are called: by the members that two readings have in common, since a
 * signed link or the time of reading changes.
 * @throws Unverifiable when that does not distinguish settlements
 */
function identityBy(reading: readonly Located[], again: readonly Located[]): (item: Located) => string {
  const changes = (name: string): boolean =>
    reading.some((item, index) => !isDeepStrictEqual(item.at(name).value, again[index]?.at(name).value));
  const names = [...new Set(reading.flatMap(({ value }) => Object.keys(value ?? {})))];
  const changing = new Set(names.filter(changes));
  const identity = ({ value }: Located): string =>
    canonical(Object.fromEntries(Object.entries(value ?? {}).filter(([name]) => !changing.has(name))));
  if (changing.size > 0 && new Set(reading.map(identity)).size < reading.length) {
    throw alike();
  }
  return identity;
}

const alike = (): Unverifiable =>
  new Unverifiable("settlements show nothing that distinguishes one from another");

/** A charged call: its rows, either of which may date it, and the ids by which a settlement may identify it. */
interface Known {
  entry: Located;
  event: Located;
  ids: readonly string[];
}

const rowsOf = ({ entry, event }: Known): Located[] => [entry, event];

async function charge(account: Account, tool: Required<Use>): Promise<Known> {
  const call = await account.succeed(tool);
  const entry = await entryOf(account, call);
  const event = await eventOf(account, call);
  return {
    entry,
    event,
    ids: namesOf([entry.fields, event.fields, { execution_id: call.at("execution_id").string }]),
  };
}

const holds = (list: readonly Located[], { ids }: Pick<Known, "ids">): boolean =>
  areNamed(
    list.map(({ value }) => value),
    ids,
  );

const newest = (account: Account): Promise<Located[]> => settlements(account, { page_size: 500 });

/** The newest settlements, once the call is among them. */
const withCall = (account: Account, known: Known): Promise<Located[]> =>
  until(
    account.lagMs,
    () => newest(account),
    (list) => holds(list, known),
  );

/** Whether settlements carry ids that identify the account's calls; the contract shows none. */
async function namesCalls(account: Account, list: readonly Located[]): Promise<boolean> {
  const rows = [await wholeList(account, "listLedger"), await wholeList(account, "listUsage")].flat();
  return holds(list, { ids: namesOf(rows.map(({ fields }) => fields)) });
}

/** Like `withCall`, for a check that depends on it. @throws Unverifiable when settlements carry no such ids */
async function settled(account: Account, known: Known): Promise<Located[]> {
  const list = await withCall(account, known);
  if (holds(list, known)) return list;
  if (list.length > 0 && !(await namesCalls(account, list)))
    throw new Unverifiable("settlements carry no ids");
  throw new Blocked("the call that this builds on is not in the settlement history", list[0]?.exchange);
}

/** At least two settlements, so pages can be distinguished; of `calls` at the same time. */
async function atLeastTwo(account: Account, tool: Required<Use>, calls = 2): Promise<void> {
  await Promise.all(Array.from({ length: calls }, () => account.succeed(tool)));
  await account.settled();
  const list = await until(
    account.lagMs,
    () => newest(account),
    ({ length }) => length >= 2,
  );
  if (list.length < 2) throw new Blocked("two calls are not in the settlement history", list[0]?.exchange);
}

/**
 * A page size with which a page ends between two settlements of one moment, if there are any: some three, or more where the
 * history is long.
 */
function sizeWithinMoment(list: readonly Located[]): number {
  const moments = list.map((item) => momentOf(item.at("created_at").value));
  const isDivided = (size: number): boolean =>
    moments.some((at, index) => (index + 1) % size === 0 && at !== undefined && at === moments[index + 1]);
  const least = Math.max(3, Math.ceil(list.length / 100));
  const sizes = Array.from({ length: 6 }, (_, more) => least + more);
  return [...sizes, ...(list.length < 100 ? [2, 1] : [])].find(isDivided) ?? least;
}

/** Every page along the cursors, newest first. */
const walk = async (account: Account, size: number, query: Query = {}): Promise<Located[][]> =>
  (await pagesOf(account, "listSettlements", { ...query, page_size: size })).map(({ items }) => items);

const isOutsideHistory = (entry: Located): boolean =>
  wantedBy("listLedger", { scope: "account_history" })(entry) === false;

/**
 * An account with ledger entries that account_history leaves out: the check's own, else a trial, which may have opened
 * with a welcome bonus.
 * @throws Unverifiable when neither has any: then nothing would show whether they are left out
 */
async function withMoreThanHistory({ account, stranger, profile }: Stage): Promise<Account> {
  const hasMore = async (reader: Account): Promise<boolean> =>
    (await wholeList(reader, "listLedger")).some(isOutsideHistory);
  if (await hasMore(account)) return account;
  if (profile.features.trial === undefined) {
    const trial = await registerTrial(stranger);
    await trial.account.settled();
    if (await hasMore(trial.account)) return trial.account;
  }
  throw new Unverifiable(
    "the account has no ledger entry that account_history leaves out",
    "credentials: {pool: [KEY of an account with a reward or a refund]}",
  );
}
