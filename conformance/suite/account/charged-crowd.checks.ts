import { defaultSample } from "../../../generated/contract.ts";
import { atMostCredits } from "../../judge/credits.ts";
import { creditsAt } from "../../judge/rows.ts";
import { check, type Stage } from "../../run/check.ts";
import { usable, type Account } from "../../server/account.ts";
import type { Use } from "../../server/profile.ts";
import { fallOf } from "../balance.ts";
import { csvRows, withoutTotals } from "../../books/csv.ts";
import { steadily } from "../../server/lists.ts";
import { wantedBy } from "../../books/filters.ts";
import { until } from "../../server/session.ts";
import { Blocked, Unverifiable } from "../../judge/verdict.ts";
import { settlements } from "./settlements.checks.ts";

/** More charged Calls than the default page of the settlement history holds. */
const many = 101;

/** Checks that need more charges than fit on a page, or more than the samples shown without a limit. */
export const checks = [
  check(
    ["ACCT-15", "LEXP-02"],
    "with more than 100 charged Calls, a page of settlements without page_size holds 100, and the export holds all",
    { needs: ["tool.charged"], feature: "settlement_history", credits: 50, fresh: true },
    async (stage) => {
      const { account, profile, expect } = stage;
      const use = await cheapest(stage);
      const price = await fallOf(account, async () => void (await account.succeed(use)));
      if (!atMostCredits(many * price, await account.credits()))
        throw new Unverifiable(
          `no account with ${many * price} credits is given`,
          "credentials: {account: KEY}",
        );
      const whole = async (): Promise<number> => (await settlements(account, { page_size: 500 })).length;
      // A provider may fail now and then.
      let missing = many - (await whole());
      for (let left = 2 * many; missing > 0 && left > 0; left -= 10) {
        const some = Array.from({ length: Math.min(missing, 10) }, () => account.call(use));
        missing -= (await Promise.all(some)).filter((call) => call.at("success").value === true).length;
      }
      await account.settled();
      const most = await until(account.lagMs, whole, (length) => length >= many);
      if (most < many) throw new Blocked(`with page_size=500 there are ${most} of ${many} settlements`);
      const { length } = await settlements(account);
      expect(length, "the settlements of a page without page_size").toBeBetween(1, 100);
      const asked = await settlements(account, { page_size: 100 });
      expect(length, "the settlements of a page without page_size").toBe(asked.length);

      const { exports } = profile.features;
      if (exports !== undefined) throw new Unverifiable(`the ledger has no export: ${exports}`);
      const { all, taken: rows } = await steadily(account, "listLedger", () => exportedRows(account));
      const entries = all.filter(
        (entry) => wantedBy("listLedger", { scope: "account_history" })(entry) === true,
      );
      expect(rows, "the rows of the ledger export, one of which may be a header").toBeBetween(
        entries.length,
        entries.length + 1,
      );
    },
  ),

  check(
    "USUM-11",
    "of more than 10 charged Calls the samples are as many as limit asks for",
    { needs: ["tool.charged"], credits: 10, fresh: true },
    async (stage) => {
      const { account, expect } = stage;
      const use = await cheapest(stage);
      for (let made = 0; made <= defaultSample; made += 1) await account.succeed(use);
      await account.settled();
      for (const limit of [30, undefined]) {
        const query = { summary: true, limit, charge_outcome: "charged" };
        const summary = usable(await account.usage(query)).at("data.summary");
        const charged = Math.min(limit ?? defaultSample, summary.at("total_count").number);
        const { items } = summary.at("max_charge_items");
        expect(items.length, `max_charge_items of limit ${limit ?? "omitted"}`).toBe(charged);
      }
    },
  ),
];

/** The charged tool of the lower price, so a trial's credits last. */
async function cheapest({ account, profile, tool }: Stage): Promise<Required<Use>> {
  const uses = [tool("charged"), ...(profile.tools.charged_decimal ? [tool("charged_decimal")] : [])];
  const results = await account.contracts(uses.map(({ id }) => id));
  const priceOf = ({ id }: Use): number =>
    creditsAt(
      results.find((result) => result.at("tool_id").value === id)?.at("billing_rule").value,
      "amount_credits",
    ) ?? Infinity;
  return uses.toSorted((one, other) => priceOf(one) - priceOf(other))[0]!;
}

const exportedRows = async (account: Account): Promise<number> =>
  withoutTotals(csvRows(usable(await account.ask("exportLedger")).text)).length;
