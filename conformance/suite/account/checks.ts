import { chargeOutcomes, usageKinds } from "../../../generated/contract.ts";
import { check } from "../../run/check.ts";
import { usable, type Account, type Query } from "../../server/account.ts";
import type { Located } from "../../judge/answer.ts";
import { sameCredits, sumOf } from "../../judge/credits.ts";
import { isZoneless, microsIn, momentOf } from "../../judge/instant.ts";
import { costOf, requestedOf } from "../../judge/rows.ts";
import { steadily, untilLater, wholeList } from "../../server/lists.ts";
import {
  createdAt,
  dayOf,
  daysOfAll,
  daysAround,
  idOf,
  instantBetween,
  instantLike,
} from "../../books/listed.ts";
import { each, wordedQueries } from "../../server/requests.ts";
import { queryText, wantedBy } from "../../books/filters.ts";
import { until } from "../../server/session.ts";
import { amounts, candidatesForTotal } from "../../books/unnamed.ts";
import { Blocked, Unverifiable } from "../../judge/verdict.ts";
import { watchGrants } from "../balance.ts";
import { dates, refuses } from "../refusals.ts";
import { queryCapability } from "../usage/activity.ts";
import type { Use } from "../../server/profile.ts";

const charged = { needs: ["tool.charged"] } as const;

const balance = async (account: Account): Promise<Located> =>
  usable(await account.ask("getCredits")).at("data");

/** The paths of the amounts below a value. */
const pathsOf = (data: Located, amount: number): string[] =>
  [...amounts(data)].filter(([, value]) => sameCredits(value, amount)).map(([path]) => path);

const unknownTotal = (): Unverifiable =>
  new Unverifiable("the total of the credits spent cannot be recognized by its value");

const spentIn = async (account: Account, query: Query): Promise<Located> =>
  usable(await account.ask("getCreditsSpent", { query })).at("data");

const readCredits = [
  check("ACCT-01", "the credits are read with 200", async ({ account, expect }) => {
    expect(await account.ask("getCredits")).toHaveStatus(200);
  }),

  check(
    ["ACCT-02", "ACCT-03"],
    "the credits show the remaining total, as other reads do, and more detail",
    async ({ account, expect }) => {
      const remaining = await account.credits();
      const data = await balance(account);
      const candidates = [...candidatesForTotal(data)];
      const there = candidates.some(([, amount]) => sameCredits(amount, remaining));
      expect(
        there ? remaining : Object.fromEntries(candidates),
        "the remaining total among the amounts in data",
      ).toBe(remaining);
      expect(amounts(data).size, "the amounts in data: the total and those of the categories").toBeAtLeast(2);
      if (remaining === 0) throw new Unverifiable("an account without credits cannot show a total");
    },
  ),

  check(
    "ACCT-04",
    "the remaining total falls by the settled amount of a charged Call",
    charged,
    async ({ account, tool, expect }) => {
      await account.settled();
      const grantedSince = await watchGrants(account);
      const before = await balance(account);
      const left = await account.credits();
      const totals = [...candidatesForTotal(before)].flatMap(([path, amount]) =>
        sameCredits(amount, left) ? path : [],
      );
      if (totals.length === 0)
        throw new Unverifiable("the remaining total cannot be recognized by its value");
      const event = await spend(account, tool("charged"));
      const due = amounts(before).get(totals[0]!)! - costOf(event);
      const read = async () => ({ data: await balance(account), left: due + (await grantedSince()) });
      const fell = ({ data, left }: Awaited<ReturnType<typeof read>>): boolean =>
        totals.some((path) => sameCredits(amounts(data).get(path) ?? NaN, left));
      const after = await until(account.lagMs, read, fell);
      expect(fell(after), `whether a remaining total fell to ${after.left} credits`).toBe(true);
    },
  ),
];

const readSpent = [
  check("ACCT-05", "the credits spent are read with 200", async ({ account, expect }) => {
    for (const end of ["2026-01-31", "2026-01-31T12:00:00Z", "2026-01-31T12:00:00.250+02:00"]) {
      const query = { start_date: "2026-01-01", end_date: end };
      expect(await account.ask("getCreditsSpent", { query })).toHaveStatus(200);
    }
  }),

  check(
    "ACCT-06",
    "the credits spent hold the total of what settled in the window",
    charged,
    async ({ account, profile, tool, expect }) => {
      const { path, otherUnit, event } = await totalPath(account, tool("charged"));
      if (path === undefined && otherUnit) throw unknownTotal();
      expect(path !== undefined, "whether an amount rises by what a charged Call settles").toBe(true);
      // An amount that was billed but not charged is not spent.
      for (const role of ["provider_error", "policy_exempt"] as const) {
        if (profile.tools[role]) await account.call(tool(role));
      }
      await account.settled();
      const days = daysAround(event);
      const { all, taken } = await steadily(account, "listUsage", () => spentIn(account, days));
      const within = all.map((event) => [event, wantedBy("listUsage", days)(event)] as const);
      if (within.some(([, wanted]) => wanted === null))
        throw new Unverifiable("an event is at the window's edge");
      const total = sumOf(within.filter(([, wanted]) => wanted).map(([event]) => costOf(event)));
      expect(amounts(taken).get(path!), `${path} of the credits spent`).toBeCredits(total);
      if (!all.some((event) => (requestedOf(event) ?? 0) > costOf(event)))
        throw new Unverifiable("every event settled what was requested", "tools: {provider_error: ID}");
    },
  ),

  check(
    "ACCT-06",
    "the credits spent are the sum of what settled, for events of every kind and age",
    { needs: ["tool.charged", "every_kind"] },
    async ({ account, everyKind, tool, expect }) => {
      const { path } = await knownTotal(account, tool("charged"));
      const other = everyKind();
      const window = daysOfAll(await wholeList(other, "listUsage"));
      const { all, taken } = await steadily(other, "listUsage", () => spentIn(other, window));
      expect(amounts(taken).get(path), `${path} of the credits spent`).toBeCredits(sumOf(all.map(costOf)));
    },
  ),

  check(
    "ACCT-08",
    "the credits spent on each day add up to those of all days, for events of every kind",
    { needs: ["tool.charged", "every_kind"] },
    async ({ account, everyKind, tool, expect }) => {
      const { path } = await knownTotal(account, tool("charged"));
      const other = everyKind();
      const [newest] = await wholeList(other, "listUsage");
      if (newest === undefined) throw new Unverifiable("the account has no events");
      const days = [-4, -3, -2, -1, 0, 1].map((later) => dayOf(newest, later));
      const within = async (start_date: string, end_date: string): Promise<number> =>
        amounts(await spentIn(other, { start_date, end_date })).get(path) ?? 0;
      const { taken } = await steadily(other, "listUsage", async () => {
        const each: number[] = [];
        for (const day of days) each.push(await within(day, day));
        return { whole: await within(days[0]!, days.at(-1)!), each };
      });
      expect(taken.whole, `${path} of all days`).toBeCredits(sumOf(taken.each));
    },
  ),

  check(
    "ACCT-07",
    "the credits spent are one object, the same on every page",
    charged,
    async ({ account, tool, expect }) => {
      const { path, event } = await knownTotal(account, tool("charged"));
      await account.settled();
      const total = amounts(await spentIn(account, daysAround(event))).get(path)!;
      const paged = await account.ask("getCreditsSpent", {
        query: { ...daysAround(event), page: 2, page_size: 1 },
      });
      expect(paged).toHaveStatus(200, 400, 422);
      if (paged.status === 200) {
        expect(paged.at("data")).toBeA("object");
        expect(amounts(paged.at("data")).get(path), `${path} on page 2`).toBeCredits(total);
      }
    },
  ),

  check(
    "ACCT-08",
    "the credits spent respect start_date and end_date; a bare end_date is the end of that day",
    charged,
    async ({ account, tool, expect }) => {
      const { path, event: first, data } = await knownTotal(account, tool("charged"));
      const { event: second, since: instant } = await spendLater(account, tool("charged"), first);
      await account.settled();
      const total = async (query: Query): Promise<number | undefined> =>
        amounts(await spentIn(account, query)).get(path);
      const whole = amounts(data).get(path)! + costOf(second);
      const later = instantLike(second, createdAt(second) + microsIn.hour);
      expect(await total({ start_date: instant, end_date: later }), "spent since the instant").toBeCredits(
        costOf(second),
      );
      if (!isZoneless(second.at("created_at").value)) {
        const [from, to] = [instant, later].map((text) => instantLike(second, momentOf(text)!, 630));
        expect(
          await total({ start_date: from, end_date: to }),
          "spent since the instant, which names another zone",
        ).toBeCredits(costOf(second));
      }
      expect(
        await total({ ...daysAround(second), end_date: instant }),
        "spent until the instant",
      ).toBeCredits(whole - costOf(second));
      let days = 0;
      for (const day of [-1, 0, 1].map((shift) => dayOf(second, shift))) {
        days += (await total({ start_date: day, end_date: day })) ?? 0;
      }
      expect(days, "spent on the days around, each its own start and end").toBeAtLeast(
        costOf(first) + costOf(second),
      );
      const past = { start_date: "2001-01-01", end_date: "2001-12-31" };
      expect(await total(past), "spent long ago").toBeCredits(0);
      for (const [query, spent] of [
        [{ end_date: past.end_date }, 0],
        [{ start_date: instant }, costOf(second)],
      ] as const) {
        const open = await account.ask("getCreditsSpent", { query });
        expect(open).toHaveStatus(200, 400, 422);
        if (open.status === 200)
          expect(amounts(open.at("data")).get(path), `spent of ${queryText(query)}`).toBeCredits(spent);
      }
    },
  ),

  check(
    "ACCT-09",
    "the credits spent respect kind and charge_outcome",
    { ...charged, credits: 10 },
    async (stage) => {
      const { account, profile, tool, expect } = stage;
      const { path, event: earlier } = await knownTotal(account, tool("charged"));
      // From this call on, since earlier spending by kind is unknown.
      const { event, since } = await spendLater(account, tool("charged"), earlier);
      await queryCapability(stage);
      if (profile.tools.failed_charged) await account.call(tool("failed_charged"));
      await account.settled();
      const window = { start_date: since, end_date: daysAround(event)["end_date"] };
      const { all, taken } = await steadily(account, "listUsage", async () => {
        const totals: { of: Query; total: number | undefined }[] = [];
        for (const of of [
          ...usageKinds.map((kind) => ({ kind })),
          ...chargeOutcomes.map((outcome) => ({ charge_outcome: outcome })),
          { kind: "call", charge_outcome: "charged" },
          { kind: "call", charge_outcome: "included" },
        ]) {
          totals.push({ of, total: amounts(await spentIn(account, { ...window, ...of })).get(path) });
        }
        return totals;
      });
      const events = all.filter((one) => createdAt(one) >= createdAt(event));
      for (const { of, total } of taken) {
        const matching = events.filter((event) => wantedBy("listUsage", of)(event));
        expect(total, `${path} of ${queryText(of)}`).toBeCredits(sumOf(matching.map(costOf)));
      }
      const isOther = (event: Located): boolean => event.at("charge_outcome").value !== "charged";
      if (!events.some((event) => isOther(event) && costOf(event) > 0))
        throw new Unverifiable(
          "nothing was spent with a charge outcome other than charged",
          "tools: {failed_charged: TOOL_ID}",
        );
    },
  ),

  check(
    "ACCT-09",
    "the credits spent of each kind and charge outcome are those of the events with it",
    { needs: ["every_kind"] },
    async ({ everyKind, expect }) => {
      const account = everyKind();
      const events = await wholeList(account, "listUsage");
      if (events.length === 0) throw new Unverifiable("the account has no events");
      const window = daysOfAll(events);
      const daysBefore = { start_date: dayOf(events.at(-1)!, -9), end_date: dayOf(events.at(-1)!, -6) };
      const total = sumOf(events.map(costOf));
      const path = totalAmong(pathsOf(await spentIn(account, window), total));
      if (total === 0 || path === undefined) throw unknownTotal();
      const chargedOf = usageKinds.map((kind) => ({ kind, charge_outcome: "charged" }));
      for (const of of [...wordedQueries("getCreditsSpent"), ...chargedOf]) {
        const wanted = wantedBy("listUsage", of);
        const open = events.find((event) => wanted(event) === null && costOf(event) !== 0);
        if (open)
          throw new Blocked(`an event does not show whether ${queryText(of)} selects it`, open.exchange);
        const spent = sumOf(events.filter(wanted).map(costOf));
        const answer = await spentIn(account, { ...window, ...of });
        expect(amounts(answer).get(path), `${path} of ${queryText(of)}`).toBeCredits(spent);
        const before = await spentIn(account, { ...daysBefore, ...of });
        expect(amounts(before).get(path), `${path} of ${queryText({ ...daysBefore, ...of })}`).toBeCredits(0);
      }
    },
  ),

  check(
    "ACCT-10",
    "the credits spent count nothing that another account spends",
    { needs: ["tool.charged", "other_account"], credits: 10 },
    async ({ account, other, tool, expect }) => {
      const owner = await other();
      // Where the spending of others counts, the total is recognized only while no other check spends.
      const { path, event } = await knownTotal(account, tool("charged"), 2);
      await account.settled();
      const total = amounts(await spentIn(account, daysAround(event))).get(path)!;
      await spend(owner, tool("charged"));
      await owner.settled();
      const after = amounts(await spentIn(account, daysAround(event))).get(path);
      expect(after, `${path}, whatever another account spends,`).toBeCredits(total);
    },
  ),
];

const readiness = [
  check(
    ["ACCT-22", "ACCT-23"],
    "the ledger readiness is read with 200, with and without dates, and is not empty",
    { feature: "readiness" },
    async ({ account, expect }) => {
      const window = { start_date: "2026-01-01", end_date: "2026-01-31T12:00:00Z" };
      for (const query of [{}, window, { end_date: "2026-01-31" }]) {
        const answer = await account.ask("getLedgerReadiness", { query });
        const isHalf = "end_date" in query && !("start_date" in query);
        if (isHalf && [400, 422].includes(answer.status))
          throw new Unverifiable("the readiness takes no date without the other, as it may");
        expect(answer).toHaveStatus(200);
        expect(answer.at("data")).toBeA("object");
        expect(answer.at("data")).toHoldSomething();
      }
    },
  ),
];

const january = { start_date: "2026-01-01", end_date: "2026-01-31" };

const invalidDates = (
  [
    ["getCreditsSpent", "credits spent", undefined],
    ["listSettlements", "settlement history", "settlement_history"],
    ["getLedgerReadiness", "ledger readiness", "readiness"],
  ] as const
).map(([operation, what, feature]) =>
  refuses(
    "ACCT-11",
    `an invalid date in ${what} is refused with 400 or 422`,
    operation,
    { valid: [january], invalid: each(dates, ["yesterday"], january), with: "400 or 422" },
    { feature },
  ),
);

export const checks = [...readCredits, ...readSpent, ...invalidDates, ...readiness];

/** Of the amounts that may be the total, one with such a name, and the whole rather than a part of it. */
function totalAmong(paths: readonly string[]): string | undefined {
  const named = paths.filter((path) => /total|spent/i.test(path));
  const depth = (path: string): number => path.split(".").length;
  return (named.length > 0 ? named : paths).toSorted((one, other) => depth(one) - depth(other))[0];
}

/** Charges the account once and returns the call's event. */
async function spend(account: Account, tool: Required<Use>): Promise<Located> {
  const event = await account.usageOf(await account.succeed(tool));
  if (costOf(event) > 0) return event;
  throw new Unverifiable("the charged tool settled to nothing for this account");
}

/**
 * The path of the total in a credits-spent answer, identified by the effect of a charge: undefined when no amount rises
 * by it. `otherUnit`: one still changes, but not as if the charge were counted twice.
 */
async function totalPath(account: Account, tool: Required<Use>) {
  const window = daysAround(await spend(account, tool));
  await account.settled();
  const before = amounts(await spentIn(account, window));
  const event = await spend(account, tool);
  const rises = (data: Located, times = 1): string[] =>
    [...amounts(data)]
      .filter(([path, value]) => sameCredits(value - (before.get(path) ?? 0), times * costOf(event)))
      .map(([path]) => path);
  const data = await until(
    account.lagMs,
    () => spentIn(account, window),
    (one) => rises(one).length > 0,
  );
  const changed = [...amounts(data)].some(([path, value]) => value !== before.get(path));
  const otherUnit = changed && rises(data, 2).length === 0;
  return { path: totalAmong(rises(data)), otherUnit, event, data };
}

/** Like `totalPath`, for a check that depends on it. @throws Unverifiable when no amount rises by a charge */
async function knownTotal(account: Account, tool: Required<Use>, tries = 1) {
  for (let left = tries; left > 0; left -= 1) {
    const { path, event, data } = await totalPath(account, tool);
    if (path !== undefined) return { path, event, data };
  }
  throw unknownTotal();
}

/** The rows of a charge, either of which may date it: its event and its ledger entry. */
async function rowsOf(account: Account, event: Located): Promise<Located[]> {
  const link = event.at("credits_ledger_entry_id");
  if (!link.present) return [event];
  const read = async (): Promise<Located[]> =>
    (await account.entries({ page_size: 100 })).filter((entry) => idOf(entry) === String(link.value));
  return [event, ...(await until(account.lagMs, read, ({ length }) => length > 0))];
}

/** A charge, and an instant that it is after and an earlier one before. */
async function spendLater(
  account: Account,
  tool: Required<Use>,
  earlier: Located,
): Promise<{ event: Located; since: string }> {
  const before = await rowsOf(account, earlier);
  for (const row of before) await untilLater(row);
  const event = await spend(account, tool);
  return { event, since: instantBetween(before, await rowsOf(account, event)) };
}
