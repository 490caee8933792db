import { check } from "../../runner/check.ts";
import type { OperationId } from "../../judge/operations.ts";
import type { Expect } from "../../judge/expect.ts";
import { usable, type Account, type Query } from "../../subject/account.ts";
import type { Answer, Located } from "../../judge/answer.ts";
import { csvRows, withoutTotals } from "../../subject/csv.ts";
import { apart, between, idOf, instantText, page, steadily, wholeList } from "../../subject/history.ts";
import { entryOf, selectsEntry } from "../../subject/ledger-selection.ts";
import { registerTrial } from "../../subject/trials.ts";
import { Unverifiable } from "../../judge/verdict.ts";

const exports = { needs: ["tool.charged"], feature: "exports" } as const;

/** A day on which nothing was recorded: an export of it is small, and a right one all the same. */
const quietDay = { start_date: "2001-01-01", end_date: "2001-01-01" };

const exported = async (account: Account, query: Query = {}): Promise<Answer> =>
  usable(await account.ask("exportLedger", { query }));

const isHeader = (row: readonly string[] = []): boolean => !row.some((cell) => /\d/.test(cell));

/**
 * Expects the export to have one row for each entry that the query selects, and none for another. The columns are not
 * shown by the contract: a row stands for an entry when one of its cells is the entry's id. Where none is, the rows are
 * counted.
 * @returns whether the rows can be told by ids
 */
function expectRows(expect: Expect, export_: Answer, query: Query, all: readonly Located[]): boolean {
  const rows = withoutTotals(csvRows(export_.text));
  const cells = new Set(rows.flat());
  const wanted = selectsEntry(query);
  if (!all.some((entry) => cells.has(String(idOf(entry))))) {
    const count = rows.length - Number(isHeader(rows[0]));
    const most = all.filter((entry) => wanted(entry) !== false).length;
    const least = all.filter((entry) => wanted(entry) === true).length;
    expect(count, "the rows of the export, without a header").toBeBetween(least, most);
    return most === 0;
  }
  const rowsOf = (entry: Located): number => rows.filter((row) => row.includes(String(idOf(entry)))).length;
  const verdict = (entry: Located): boolean => rowsOf(entry) === (wanted(entry) ? 1 : 0);
  const wrong = all.find((entry) => !verdict(entry));
  expect(
    wrong && { entry: wrong.value, rows: rowsOf(wrong) },
    "an entry that the export holds and should not, or the other way round",
  ).toBe(undefined);
  const known = all.map((entry) => String(idOf(entry)));
  const strange = rows.slice(1).filter((row) => !row.some((cell) => known.includes(cell)));
  expect(strange, "rows after the first that stand for no entry of the account").toBeEmpty();
  return true;
}

const untold = (): Unverifiable => new Unverifiable("the rows of the export carry no ids of ledger entries");

export const checks = [
  check(
    "LEXP-01",
    "the ledger export is text/csv with rows of one length",
    exports,
    async ({ account, tool, expect }) => {
      await entryOf(account, await account.succeed(tool("charged")));
      const answer = await account.ask("exportLedger");
      expect(answer).toHaveStatus(200);
      expect(answer.header("content-type")).toMatch(/^text\/csv\b/i, "text/csv");
      const rows = csvRows(answer.text);
      expect(rows.length, "the number of rows").toBeAtLeast(1);
      const uneven = rows.find((row) => row.length !== rows[0]!.length);
      expect(uneven, `a row that has not ${rows[0]!.length} cells as the first`).toBe(undefined);
    },
  ),

  check(
    "LEXP-02",
    "the ledger export is that of account_history, with or without scope",
    exports,
    async ({ account, stranger, profile, tool, expect }) => {
      let told = true;
      const mayRegister = profile.features.trial === undefined;
      // What a scope leaves out can be told of an account that has such an entry alone: a trial has its bonus.
      for (const holder of [account, ...(mayRegister ? [(await registerTrial(stranger)).account] : [])]) {
        await entryOf(holder, await holder.succeed(tool("charged")));
        let entries: Located[] = [];
        for (const query of [{}, { scope: "account_history" }]) {
          const { all, taken } = await steadily(holder, "listLedger", () => exported(holder, query));
          told = expectRows(expect, taken, { scope: "account_history" }, all) && told;
          entries = all;
        }
        if (entries.some((entry) => selectsEntry({ scope: "account_history" })(entry) === false)) {
          if (told) return;
          throw untold();
        }
      }
      throw new Unverifiable("the account has no entry outside account_history");
    },
  ),

  check(
    "LEXP-03",
    "the ledger export keeps to start_date and end_date",
    exports,
    async ({ account, tool, expect }) => {
      await apart(await wholeList(account, "listLedger"));
      const first = await entryOf(account, await account.succeed(tool("charged")));
      await apart([first]);
      const second = await entryOf(account, await account.succeed(tool("charged")));
      const instant = instantText(between(first, second));
      let told = true;
      for (const window of [{ start_date: instant }, { end_date: instant }]) {
        const { all, taken } = await steadily(account, "listLedger", () => exported(account, window));
        told = expectRows(expect, taken, { ...window, scope: "account_history" }, all) && told;
      }
      if (!told) throw untold();
    },
  ),

  check(
    "LEXP-04",
    "the ledger export of an account holds nothing of another's",
    { needs: ["tool.charged", "other_account"], feature: "exports" },
    async ({ account, other, tool, expect }) => {
      const owner = await other();
      const theirs = await owner.succeed(tool("charged"));
      const mine = await account.succeed(tool("charged"));
      const ids = async (holder: Account, call: Answer): Promise<string[]> => [
        String(idOf(await entryOf(holder, call))),
        call.at("execution_id").string,
      ];
      const [own, foreign] = [await ids(account, mine), await ids(owner, theirs)];
      const { text } = await exported(account);
      if (!own.some((id) => text.includes(id))) {
        throw new Unverifiable("the rows of the export carry no ids of entries or executions");
      }
      const leaked = foreign.filter((id) => text.includes(id));
      expect(leaked, "ids of another account's call in the export").toBeEmpty();
    },
  ),

  ...(
    [
      ["exportLedger", "the ledger export", "exports"],
      ["exportUsage", "the usage export", "exports"],
      ["listUsageFeed", "the usage summary feed", "feeds"],
    ] as const satisfies readonly (readonly [OperationId, string, string])[]
  ).map(([operation, what, feature]) =>
    check(
      "LEXP-05",
      `an invalid date in ${what} is refused with 400 or 422`,
      { feature },
      async ({ account, expect }) => {
        await page(account, "listLedger", { page_size: 1 });
        expect(await account.ask(operation, { query: quietDay })).toHaveStatus(200);
        for (const name of ["start_date", "end_date"]) {
          const answer = await account.ask(operation, { query: { ...quietDay, [name]: "yesterday" } });
          expect(answer).toHaveStatus(400, 422);
        }
      },
    ),
  ),
];
