import { check } from "../../run/check.ts";
import { isFields } from "../../judge/seen.ts";
import type { Account } from "../../server/account.ts";
import type { Located } from "../../judge/answer.ts";
import { page, steadily, untilLater, wholeList } from "../../server/lists.ts";
import { between, createdAt, idOf, instantLike } from "../../books/listed.ts";
import {
  byPages,
  expectSelections,
  keepsToDays,
  keepsToInstants,
  keepsToOffsets,
} from "../../server/selection.ts";
import { filtersOf, queriesOf, wantedBy } from "../../books/filters.ts";
import { amountOf } from "../../judge/rows.ts";
import { each } from "../../server/requests.ts";
import { dates, refuses } from "../refusals.ts";
import { entryOf, typeOf } from "./entries.ts";
import type { Use } from "../../server/profile.ts";
import { Unverifiable } from "../../judge/verdict.ts";

const list = "listLedger";
const charged = { needs: ["tool.charged"] } as const;

const invalidQueries = (
  [
    [
      "LEDG-29",
      "a start_date or end_date of an invalid format",
      each(dates, ["2024-02-29", "2026-01-31T08:30:00Z"]),
      each(dates, ["yesterday", "31/01/2026", "2026-01-31T25h"]),
    ],
    [
      "LEDG-35",
      "a direction outside consume, grant and any",
      [{ direction: "any" }],
      [{ direction: "both" }, { direction: "CONSUMED" }],
    ],
    [
      "LEDG-38",
      "a min_credits or max_credits below 0",
      [{ min_credits: 0, max_credits: 0 }],
      [{ min_credits: -1 }, { max_credits: -0.01 }],
    ],
    [
      "LEDG-39",
      "a min_credits greater than max_credits",
      [
        { min_credits: 1, max_credits: 2 },
        { min_credits: 2, max_credits: 2 },
      ],
      [
        { min_credits: 1.52, max_credits: 1.5 },
        { min_credits: 1, max_credits: 0 },
      ],
    ],
    [
      "LEDG-45",
      "a bucket outside hour, day and week",
      [{ summary: true, bucket: "week" }],
      [{ summary: true, bucket: "month" }, { bucket: "minute" }],
    ],
  ] as const
).map(([clause, what, valid, invalid]) =>
  refuses(clause, `${what} is refused with 400 and -7`, "listLedger", { valid, invalid, with: "400 and -7" }),
);

/** The filters whose check is like that of all others. */
const byTable = filtersOf(list).flatMap(([name, { says }]) =>
  says === undefined
    ? []
    : check(...says, charged, async ({ account, tool, expect }) => {
        const entries = await withCharge(account, tool("charged"));
        await expectSelections({ account, expect }, { list }, queriesOf(list, entries, [name]));
      }),
);

export const checks = [
  check(
    ["LEDG-27", "LEDG-28", "LEDG-23"],
    "start_date and end_date select exactly the entries from and until an instant, or in whole days",
    charged,
    async ({ account, tool, expect }) => {
      const entries = await twoCharges(account, tool("charged"));
      await keepsToInstants({ account, expect }, { list, read: byPages(list) }, entries);
      await keepsToOffsets({ account, expect }, { list }, entries);
      await keepsToDays({ account, expect }, { list }, entries[1]);
      const instant = instantLike(entries[1], between(...entries));
      for (const window of [{ start_date: instant }, { end_date: instant }]) {
        const before = (await wholeList(account, list, window)).length;
        const total = (await page(account, list, { ...window, page_size: 1 })).at("data.total");
        const after = (await wholeList(account, list, window)).length;
        expect(total).toBeBetween(before, after);
      }
    },
  ),

  check(
    "LEDG-31",
    "an entry_type that no entry has is refused or selects nothing",
    charged,
    async ({ account, tool, expect }) => {
      await withCharge(account, tool("charged"));
      const known = await page(account, list, { entry_type: "consume_tool_execute" });
      expect(known.at("data.items")).toHoldSomething();
      for (const type of ["grant_of_another_kind", "consume_tool"]) {
        const answer = await account.ledger({ entry_type: type });
        if (answer.status === 200 && isFields(answer.at("data").value)) {
          expect(answer.at("data.items")).toBeEmpty();
        } else expect(answer).toHaveStatus(200, 400, 422);
      }
    },
  ),

  check(
    "LEDG-34",
    "direction any selects what an omitted direction selects: entries of both signs",
    charged,
    async ({ account, tool, expect }) => {
      await withCharge(account, tool("charged"));
      const idsOf = async (direction: string): Promise<string[]> =>
        (await wholeList(account, list, { direction })).map(idOf);
      const { all, taken } = await steadily(account, list, async () => ({
        any: await idsOf("any"),
        signed: [...(await idsOf("grant")), ...(await idsOf("consume"))],
      }));
      const known = all.map(idOf);
      expect(taken.any.sort(), "the ids that direction=any selects").toBe(known.toSorted());
      const hidden = taken.signed.filter((id) => !known.includes(id));
      expect(hidden, "entries that only a direction shows").toBeEmpty();
      const signs = new Set(all.map((entry) => Math.sign(amountOf(entry) ?? 0)));
      if (!signs.has(1)) throw new Unverifiable("the account has no entry that grants credits");
      expect(signs.has(-1), "whether a charged account's ledger has a negative entry").toBe(true);
    },
  ),

  check(
    ["LEDG-36", "LEDG-23"],
    "min_credits leaves out exactly the smaller absolute amounts, max_credits the greater ones",
    charged,
    async ({ account, tool, expect }) => {
      const amounts = magnitudes(await withCharge(account, tool("charged")));
      const [least, most] = [amounts[0]!, amounts.at(-1)!];
      const bounds = [most, (least + most) / 2, ...amounts.slice(0, 12)];
      await expectSelections(
        { account, expect },
        { list },
        bounds.flatMap((bound) => [{ min_credits: bound }, { max_credits: bound }]),
      );
    },
  ),

  check(
    "LEDG-37",
    "min_credits and max_credits of one amount select the entries of plus and of minus that amount",
    charged,
    async ({ account, tool, expect }) => {
      const entries = await withCharge(account, tool("charged"));
      magnitudes(entries);
      const grant = entries.find((entry) => amountOf(entry)! > 0);
      if (!grant) throw new Unverifiable("the account has no entry that grants credits");
      const amounts = entries.map((entry) => amountOf(entry) ?? 0);
      const both = amounts.filter((amount) => amount > 0 && amounts.includes(-amount));
      await expectSelections(
        { account, expect },
        { list },
        [size(entries[0]!), size(grant), ...both.slice(0, 1)].map((amount) => ({
          min_credits: amount,
          max_credits: amount,
        })),
      );
    },
  ),

  check(
    "LEDG-46",
    "several filters together select exactly the entries that satisfy each",
    charged,
    async ({ account, tool, expect }) => {
      const entries = await withCharge(account, tool("charged"));
      const amounts = magnitudes(entries);
      const middle = amounts[Math.floor(amounts.length / 2)]!;
      const instant = widestGap(entries);
      const inScope = wantedBy(list, { scope: "account_history" });
      const outside = entries.find((entry) => inScope(entry) === false);
      await expectSelections({ account, expect }, { list }, [
        { direction: "consume", max_credits: middle, start_date: instant },
        { direction: "grant", min_credits: middle, end_date: instant },
        { scope: "account_history", direction: "grant" },
        { entry_type: "consume_tool_execute", direction: "grant" },
        { scope: "account_history", min_credits: middle, start_date: instant },
        { scope: "account_history", entry_type: outside ? typeOf(outside) : "grant_welcome_bonus" },
      ]);
    },
  ),

  ...byTable,
  ...invalidQueries,
];

/** The account's whole ledger, whose newest entry is a consumption by this check, later than all others. */
async function withCharge(account: Account, tool: Required<Use>): Promise<Located[]> {
  const [newest] = (await page(account, list)).at("data.items").items;
  if (newest) await untilLater(newest);
  await entryOf(account, await account.succeed(tool));
  return wholeList(account, list);
}

/** Two consumptions by this check, and an instant between them. */
async function twoCharges(account: Account, tool: Required<Use>): Promise<[older: Located, newer: Located]> {
  await entryOf(account, await account.succeed(tool));
  const [newer, older] = await withCharge(account, tool);
  return [older!, newer!];
}

/** An instant between the two adjacent rows of a list that are farthest apart. */
function widestGap(rows: readonly Located[]): string {
  const gaps = rows.slice(1).map((older, index) => ({ older, newer: rows[index]! }));
  gaps.sort(
    (one, two) => createdAt(two.newer) - createdAt(two.older) - createdAt(one.newer) + createdAt(one.older),
  );
  const [widest] = gaps;
  if (!widest) throw new Unverifiable("the account has a single ledger entry");
  return instantLike(widest.newer, between(widest.older, widest.newer));
}

const size = (entry: Located): number => Math.abs(amountOf(entry) ?? 0);

/** The distinct absolute amounts of entries, ascending. @throws Unverifiable when there is only one */
function magnitudes(entries: readonly Located[]): number[] {
  const amounts = [...new Set(entries.map(size))].sort((one, two) => one - two);
  if (amounts.length < 2) throw new Unverifiable("all entries of the account have one absolute amount");
  return amounts;
}
