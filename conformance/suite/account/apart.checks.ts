import { isDeepStrictEqual } from "node:util";
import type { ClauseId } from "../../../generated/clauses.ts";
import { operations, type OperationId } from "../../../generated/contract.ts";
import { Unverifiable } from "../../judge/verdict.ts";
import { check } from "../../run/check.ts";
import { usable, type Account, type Ask } from "../../server/account.ts";

/*
 * What an account reads is the same before and after another account has read its own: a server that mixes the two up
 * answers one with fields of the other.
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

const oneByOne: Partial<Record<OperationId, "listLedger" | "listUsage">> = {
  getLedgerEntry: "listLedger",
  getUsageEvent: "listUsage",
};

/** Number of times a difference must recur: rows of the account's own actions may arrive between two readings. */
const readings = 3;

/** The account's own read, or its Call's row when the read takes an id. */
async function askOf(operation: OperationId, account: Account): Promise<Ask> {
  const list = oneByOne[operation];
  if (list === undefined) return {};
  const newest = usable(
    await account.ask(list, {
      query: { page_size: 1, ...(list === "listUsage" && { event_type: "tool_execute" }) },
    }),
  );
  return { parameter: String(newest.at("data.items.0.id").value) };
}

export const checks = (Object.entries(reads) as [OperationId, ClauseId][]).map(([operation, clause]) =>
  check(
    clause,
    `what ${operation} answers an account is no other after another account has asked`,
    { needs: ["tool.charged", "other_account"], feature: operation },
    async ({ account, other, tool, expect }) => {
      const second = await other();
      for (const who of [account, second]) {
        // An id of each kind, so that no field is null in both accounts.
        const { value: search_id } = (await who.discover("data")).at("search_id");
        await who.succeed(tool("charged"), typeof search_id === "string" ? { search_id } : {});
        await who.settled();
      }
      const [mine, theirs] = [await askOf(operation, account), await askOf(operation, second)];
      const read = async (who: Account, ask: Ask): Promise<unknown> => {
        const answer = usable(await who.ask(operation, ask));
        return operations[operation].answer === "csv" ? answer.text : answer.at("data").value;
      };
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
