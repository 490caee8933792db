import { check } from "../../runner/check.ts";
import { isFields } from "../../judge/seen.ts";
import type { Query } from "../../subject/account.ts";
import type { Account } from "../../subject/account.ts";
import type { Located } from "../../judge/answer.ts";
import {
  apart,
  between,
  dayAfter,
  daysOf,
  idOf,
  instantText,
  page,
  selections,
  wholeList,
  widestGap,
} from "../../subject/history.ts";
import {
  amountOf,
  entryOf,
  expectLedgerSelections,
  selectsEntry,
  typeOf,
} from "../../subject/ledger-selection.ts";
import type { Use } from "../../subject/profile.ts";
import { Unverifiable } from "../../judge/verdict.ts";

const charged = { needs: ["tool.charged"] } as const;

/** The account's whole ledger, a fresh consumption newest in it; one instant lies between it and what was before. */
async function withCharge(account: Account, tool: Required<Use>): Promise<Located[]> {
  await apart(await wholeList(account, "listLedger"));
  await entryOf(account, await account.succeed(tool));
  return wholeList(account, "listLedger");
}

/**
 * Two fresh consumptions, an instant between them. It is of their day: an instant that lies before all of a day's entries
 * selects what the day does.
 */
async function twoCharges(
  account: Account,
  tool: Required<Use>,
): Promise<{ older: Located; newest: Located }> {
  await entryOf(account, await account.succeed(tool));
  const [newest, older] = await withCharge(account, tool);
  return { older: older!, newest: newest! };
}

/** The distinct absolute amounts of entries, ascending. @throws Unverifiable when all have one amount */
function magnitudes(entries: readonly Located[]): number[] {
  const amounts = [...new Set(entries.map((entry) => Math.abs(amountOf(entry))))].sort(
    (one, two) => one - two,
  );
  if (amounts.length < 2) throw new Unverifiable("all entries of the account have one absolute amount");
  return amounts;
}

/** What is refused as an invalid query, after a valid one of the same kind was answered. */
const refused = (valid: Query, ...invalid: Query[]) => ({ valid, invalid });

const invalidQueries = [
  check(
    "LEDG-29",
    "a start_date or end_date of an invalid format is refused with 400 and -7",
    async ({ account, expect }) => {
      for (const name of ["start_date", "end_date"]) {
        expect(await account.ledger({ [name]: "2024-02-29" })).toHaveStatus(200);
        expect(await account.ledger({ [name]: "2026-01-31T08:30:00Z" })).toHaveStatus(200);
        for (const value of ["yesterday", "31/01/2026", "2026-01-31T25h"]) {
          expect(await account.ledger({ [name]: value })).toBeAnInvalidQuery();
        }
      }
    },
  ),
  ...(
    [
      [
        "LEDG-35",
        "a direction outside consume, grant and any",
        refused({ direction: "any" }, { direction: "both" }, { direction: "CONSUMED" }),
      ],
      [
        "LEDG-38",
        "a min_credits or max_credits below 0",
        refused({ min_credits: 0, max_credits: 0 }, { min_credits: -1 }, { max_credits: -0.5 }),
      ],
      [
        "LEDG-39",
        "a min_credits greater than max_credits",
        refused(
          { min_credits: 1, max_credits: 2 },
          { min_credits: 2, max_credits: 1.5 },
          { min_credits: 1, max_credits: 0 },
        ),
      ],
      [
        "LEDG-45",
        "a bucket outside hour, day and week",
        refused({ summary: true, bucket: "week" }, { summary: true, bucket: "month" }, { bucket: "minute" }),
      ],
    ] as const
  ).map(([clause, what, { valid, invalid }]) =>
    check(clause, `${what} is refused with 400 and -7`, async ({ account, expect }) => {
      expect(await account.ledger(valid)).toHaveStatus(200);
      for (const query of invalid) expect(await account.ledger(query)).toBeAnInvalidQuery();
    }),
  ),
];

export const checks = [
  check(
    "LEDG-27",
    "start_date selects exactly the entries from that day or instant on",
    charged,
    async ({ account, tool, expect }) => {
      const { older, newest } = await twoCharges(account, tool("charged"));
      const { earliest, latest } = daysOf(newest);
      await expectLedgerSelections(account, expect, [
        { start_date: earliest },
        { start_date: dayAfter(latest, 1) },
        { start_date: instantText(between(older, newest)) },
      ]);
    },
  ),

  check(
    "LEDG-28",
    "end_date selects exactly the entries until that instant, or until the end of that day",
    charged,
    async ({ account, tool, expect }) => {
      const { older, newest } = await twoCharges(account, tool("charged"));
      const { earliest, latest } = daysOf(newest);
      await expectLedgerSelections(account, expect, [
        { end_date: latest },
        { end_date: dayAfter(earliest, -1) },
        { end_date: instantText(between(older, newest)) },
      ]);
    },
  ),

  check(
    "LEDG-30",
    "entry_type selects exactly the entries of that type",
    charged,
    async ({ account, tool, expect }) => {
      const entries = await withCharge(account, tool("charged"));
      const types = new Set([...entries.map((entry) => String(typeOf(entry))), "consume_model_call"]);
      await expectLedgerSelections(
        account,
        expect,
        [...types].map((type) => ({ entry_type: type })),
      );
    },
  ),

  check(
    "LEDG-31",
    "an entry_type that no entry has is refused or selects nothing",
    charged,
    async ({ account, tool, expect }) => {
      await withCharge(account, tool("charged"));
      const known = await page(account, "listLedger", { entry_type: "consume_tool_execute" });
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
    "LEDG-32",
    "scope=account_history selects exactly the entries of its four types",
    charged,
    async ({ account, tool, expect }) => {
      await withCharge(account, tool("charged"));
      await expectLedgerSelections(account, expect, [{ scope: "account_history" }]);
    },
  ),

  check(
    "LEDG-33",
    "direction consume selects exactly the negative entries, and grant the positive ones",
    charged,
    async ({ account, tool, expect }) => {
      await withCharge(account, tool("charged"));
      await expectLedgerSelections(account, expect, [{ direction: "consume" }, { direction: "grant" }]);
    },
  ),

  check(
    "LEDG-34",
    "direction any selects what an omitted direction selects: entries of both signs",
    charged,
    async ({ account, tool, expect }) => {
      await withCharge(account, tool("charged"));
      const {
        all,
        selected: [any, grants, consumptions],
      } = await selections(
        account,
        "listLedger",
        ["any", "grant", "consume"].map((direction) => ({ direction })),
      );
      expect(any!.map(idOf).sort(), "the ids that direction=any selects").toBe(all.map(idOf).sort());
      const known = all.map(idOf);
      const hidden = [...grants!, ...consumptions!].filter((entry) => !known.includes(idOf(entry)));
      expect(
        hidden.map((entry) => entry.value),
        "entries that only a direction shows",
      ).toBeEmpty();
      const signs = new Set(all.map((entry) => Math.sign(amountOf(entry))));
      if (!signs.has(1)) throw new Unverifiable("the account has no entry that grants credits");
      expect(signs.has(-1), "whether the ledger of an account that was charged has a negative entry").toBe(
        true,
      );
    },
  ),

  check(
    "LEDG-36",
    "min_credits leaves out exactly the smaller absolute amounts, max_credits the greater ones",
    charged,
    async ({ account, tool, expect }) => {
      const amounts = magnitudes(await withCharge(account, tool("charged")));
      const [least, most] = [amounts[0]!, amounts.at(-1)!];
      const middle = amounts[Math.floor(amounts.length / 2)]!;
      await expectLedgerSelections(account, expect, [
        { min_credits: middle },
        { max_credits: middle },
        { min_credits: most },
        { max_credits: least },
        { min_credits: (least + most) / 2 },
        { max_credits: (least + most) / 2 },
      ]);
    },
  ),

  check(
    "LEDG-37",
    "min_credits and max_credits of one amount select the entries of plus and of minus that amount",
    charged,
    async ({ account, tool, expect }) => {
      const entries = await withCharge(account, tool("charged"));
      magnitudes(entries);
      const grant = entries.find((entry) => amountOf(entry) > 0);
      if (!grant) throw new Unverifiable("the account has no entry that grants credits");
      const consumption = -amountOf(entries[0]!);
      const both = entries
        .map(amountOf)
        .filter((amount, _, amounts) => amount > 0 && amounts.includes(-amount));
      await expectLedgerSelections(
        account,
        expect,
        [consumption, amountOf(grant), ...both.slice(0, 1)].map((amount) => ({
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
      const instant = instantText(widestGap(entries));
      const inScope = selectsEntry({ scope: "account_history" });
      const outside = entries.find((entry) => inScope(entry) === false);
      await expectLedgerSelections(account, expect, [
        { direction: "consume", max_credits: middle, start_date: instant },
        { direction: "grant", min_credits: middle, end_date: instant },
        { scope: "account_history", direction: "grant" },
        { entry_type: "consume_tool_execute", direction: "grant" },
        { scope: "account_history", min_credits: middle, start_date: instant },
        { scope: "account_history", entry_type: String(outside ? typeOf(outside) : "grant_welcome_bonus") },
      ]);
    },
  ),

  ...invalidQueries,
];
