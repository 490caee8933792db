import { isDeepStrictEqual } from "node:util";
import type { ClauseId } from "../../../generated/clauses.ts";
import { operations, type OperationId } from "../../../generated/contract.ts";
import { Unverifiable } from "../../judge/verdict.ts";
import { check } from "../../run/check.ts";
import { usable, type Account, type Ask } from "../../server/account.ts";
import type { List } from "../../books/listed.ts";
import type { Use } from "../../server/profile.ts";

/*
 * An account reads the same before and after another account has read its own: a server that mixes the two up answers
 * one with fields of the other.
 */

/** The reads whose answers belong to an account, with the clause that says so. */
const reads: Partial<Record<OperationId, ClauseId>> = {
  getCredits: "ACCT-02",
  getCreditsSpent: "ACCT-10",
  listSettlements: "ACCT-21",
  listLedger: "LEDG-26",
  getLedgerEntry: "LEDG-18",
  exportLedger: "LEXP-04",
  listUsage: "USAG-35",
  getUsageEvent: "USAG-26",
  exportUsage: "UEXP-03",
  listUsageFeed: "UFED-07",
};

export const checks = (Object.entries(reads) as [OperationId, ClauseId][]).map(([operation, clause]) =>
  check(
    clause,
    `${operation} answers an account the same after another account has asked`,
    { needs: ["tool.charged", "other_account"], feature: operation },
    async ({ account, other, tool, expect }) => {
      const second = await other();
      const charged = tool("charged");
      /** The account's own read, or its Call's row when the read takes an id. */
      const askOf = async (who: Account): Promise<Ask> => {
        const ids = await who.once("a Call with every id", () => rowsOf(who, charged), maxSince(operation));
        const list = oneByOne[operation];
        return list === undefined ? {} : { parameter: ids[list] };
      };
      const [mine, theirs] = [await askOf(account), await askOf(second)];
      const read = async (who: Account, ask: Ask): Promise<unknown> => {
        const answer = usable(await who.ask(operation, ask));
        return operations[operation].answer === "csv" ? answer.text : answer.at("data").value;
      };
      // What two accounts show that did the same may be the same.
      if (isDeepStrictEqual(await read(account, mine), await read(second, theirs)))
        await second.succeed(charged);
      let steady = 0;
      for (let reading = 0; reading < readings; reading += 1) {
        const before = await read(account, mine);
        if (!isDeepStrictEqual(before, await read(account, mine))) continue;
        steady += 1;
        await read(second, theirs);
        if (isDeepStrictEqual(before, await read(account, mine))) return expect(true).toBe(true);
      }
      if (steady === 0) throw new Unverifiable(`${operation} never answers the same twice`);
      expect(false, "whether the answer stays what it was while another account asks").toBe(true);
    },
  ),
);

const oneByOne: Partial<Record<OperationId, List>> = {
  getLedgerEntry: "listLedger",
  getUsageEvent: "listUsage",
};

/** The most that the account may have done since, if the first page of its events is still to show that of its Call. */
const maxSince = (operation: OperationId): number => (operation.startsWith("listUsage") ? 40 : Infinity);

/** Number of times a difference must recur: rows of the account's own actions may arrive between two readings. */
const readings = 3;

/** A Call with an id of each kind, so no field of its rows is null, and the ids of its rows. */
async function rowsOf(account: Account, charged: Required<Use>): Promise<Record<List, string>> {
  const { value: search_id } = (await account.discover("data")).at("search_id");
  await account.succeed(charged, typeof search_id === "string" ? { search_id } : {});
  await account.settled();
  const [event] = await account.events({ page_size: 1, event_type: "tool_execute" });
  const [entry] = await account.entries({ page_size: 1 });
  return { listUsage: String(event?.at("id").value), listLedger: String(entry?.at("id").value) };
}
