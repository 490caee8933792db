import { check } from "../../run/check.ts";
import type { Expect } from "../../judge/expect.ts";
import { usable, type Account, type Query } from "../../server/account.ts";
import type { Answer } from "../../judge/answer.ts";
import { csvRows, withoutTotals } from "../../books/csv.ts";
import { amountOf } from "../../judge/rows.ts";
import { steadily, untilLater, wholeList } from "../../server/lists.ts";
import { idOf } from "../../books/listed.ts";
import { byExport, expectTelling, tellsRows } from "../../server/row-readers.ts";
import {
  expectSelections,
  keepsToDays,
  keepsToInstants,
  keepsToOffsets,
  type Reader,
} from "../../server/selection.ts";
import { wantedBy } from "../../books/filters.ts";
import { registerTrial } from "../../server/trials.ts";
import { Unverifiable } from "../../judge/verdict.ts";
import { each } from "../../server/requests.ts";
import { dates, refuses } from "../refusals.ts";
import { entryOf, withTwoPrices } from "../ledger/entries.ts";

const exports = { needs: ["tool.charged"], feature: "exports" } as const;
const twoPrices = { needs: ["tool.charged", "tool.charged_decimal"], feature: "exports" } as const;

/** A day without rows: its export is small but still a lawful request. */
const quietDay = { start_date: "2001-01-01", end_date: "2001-01-01" };

export const checks = [
  check("LEXP-01", "the ledger export is text/csv", exports, async ({ account, tool, expect }) => {
    await entryOf(account, await account.succeed(tool("charged")));
    const answer = await account.ask("exportLedger");
    expect(answer).toHaveStatus(200);
    expect(answer.header("content-type")).toMatch(/^text\/csv\b/i, "text/csv");
    expect(csvRows(answer.text).length, "the number of rows").toBeAtLeast(1);
  }),

  check(
    "LEXP-02",
    "the ledger export is that of account_history, with or without scope",
    exports,
    async ({ account, stranger, profile, tool, expect }) => {
      const mayRegister = profile.features.trial === undefined;
      // Only an account with such an entry shows what a scope excludes: a trial has its bonus.
      for (const holder of [account, ...(mayRegister ? [(await registerTrial(stranger)).account] : [])]) {
        await entryOf(holder, await holder.succeed(tool("charged")));
        for (const query of [{}, within]) await expectCount(expect, holder, query);
        const entries = await wholeList(holder, list);
        if (!entries.some((entry) => wantedBy(list, within)(entry) === false)) continue;
        const asking = { account: holder, expect };
        await tellsRows(asking, { list, read: withoutScope, within });
        for (const reader of [withoutScope, read]) {
          await expectSelections(asking, { list, read: reader }, [within]);
        }
        return;
      }
      throw new Unverifiable("the account has no entry outside account_history");
    },
  ),

  check(
    "LEXP-02",
    "the rows of the ledger export show what they are rows of",
    twoPrices,
    async ({ account, tool, expect }) => {
      const entries = await withTwoPrices(account, tool);
      // Without a header, one row less is looked at.
      const rows = withoutTotals(csvRows((await exported(account)).text)).slice(1);
      expectTelling(expect, "the rows of the export", rows, entries, amountOf);
    },
  ),

  check(
    "LEXP-03",
    "the ledger export respects start_date and end_date",
    exports,
    async ({ account, tool, expect }) => {
      const older = await entryOf(account, await account.succeed(tool("charged")));
      await untilLater(older);
      const newer = await entryOf(account, await account.succeed(tool("charged")));
      const reading = { list, read, within } as const;
      await tellsRows({ account, expect }, reading);
      await keepsToInstants({ account, expect }, reading, [older, newer]);
      await keepsToOffsets({ account, expect }, reading, [older, newer]);
      await keepsToDays({ account, expect }, reading, newer);
    },
  ),

  check(
    "LEXP-04",
    "the ledger export of an account holds nothing of another account",
    { needs: ["tool.charged", "other_account"], feature: "exports" },
    async ({ account, other, tool, expect }) => {
      const owner = await other();
      const theirs = await owner.succeed(tool("charged"));
      const mine = await account.succeed(tool("charged"));
      const ids = async (holder: Account, call: Answer): Promise<string[]> => [
        idOf(await entryOf(holder, call)),
        call.at("execution_id").string,
      ];
      const [own, foreign] = [await ids(account, mine), await ids(owner, theirs)];
      const cells = csvRows((await exported(account)).text).flat();
      if (!own.some((id) => cells.includes(id))) {
        throw new Unverifiable("the rows of the export carry no ids of entries or executions");
      }
      // Entries of two accounts may have the same short number.
      const leaked = foreign.filter((id) => id.length > 6 && cells.includes(id));
      expect(leaked, "ids of another account's Call in the export").toBeEmpty();
    },
  ),

  ...(
    [
      ["exportLedger", "the ledger export", "exports"],
      ["exportUsage", "the usage export", "exports"],
      ["listUsageFeed", "the usage summary feed", "feeds"],
    ] as const
  ).map(([operation, what, feature]) =>
    refuses(
      "LEXP-05",
      `an invalid date in ${what} is refused with 400 or 422`,
      operation,
      { valid: [quietDay], invalid: each(dates, ["yesterday"], quietDay), with: "400 or 422" },
      { feature },
    ),
  ),
];
const list = "listLedger";
const within = { scope: "account_history" };

const read = byExport("exportLedger");

/** The export without a scope, whose default is compared. */
const withoutScope: Reader = (asking, { scope: _scope, ...query }, known) => read(asking, query, known);

const exported = async (account: Account, query: Query = {}): Promise<Answer> =>
  usable(await account.ask("exportLedger", { query }));

/** A row of data has a time or an amount; the name of a column may hold a digit too. */
const isHeader = (row: readonly string[] = []): boolean => !row.some((cell) => /\d/.test(cell));

/** Expects as many rows as entries, when rows do not identify their entry. */
async function expectCount(expect: Expect, account: Account, query: Query): Promise<void> {
  const { all, taken } = await steadily(account, list, () => exported(account, query));
  const rows = withoutTotals(csvRows(taken.text));
  const count = all.filter((entry) => wantedBy(list, within)(entry) === true).length;
  expect(rows.length, "the rows of the export, one of which may be a header").toBeBetween(
    count + Number(isHeader(rows[0])),
    count + 1,
  );
}
