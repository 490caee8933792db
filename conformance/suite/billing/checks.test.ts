import { expect, it } from "vitest";
import { createCatalog } from "../../../reference-server/catalog/catalog.ts";
import { onPart } from "../../changes/mutant.ts";
import { openStage } from "../../proof/stage.ts";
import { check } from "../../run/check.ts";
import { run } from "../../run/run.ts";
import { checks } from "./checks.ts";

it("compares a Call with the current price: a quote reserves none", async () => {
  let raised = false;
  const change = onPart("catalog", (catalog) => {
    const tools = catalog.tools.map(({ billing_rule: rule, ...tool }) => ({
      ...tool,
      ...(rule && { billing_rule: { ...rule, amount_credits: 1.5 * rule.amount_credits } }),
    }));
    const dear = createCatalog(tools, []);
    return { ...catalog, find: (id) => (raised ? dear : catalog).find(id) };
  });
  const bills = checks.find(({ id }) => /BILL-09.*billing-rule-charged$/.test(id))!;
  const raises = check("BILL-01", "the prices rise", async ({ account, expect }) => {
    raised = true;
    expect(await account.usage()).toHaveStatus(200);
  });
  const stage = await openStage();
  const judged = await stage.perform(change, ({ clock: _, ...profile }) =>
    run(
      {
        ...profile,
        credentials: { account: profile.credentials.account, pool: [] },
        features: { trial: "none" },
      },
      { checks: [bills, raises, { ...bills, id: `${bills.id}-again` }], rules: [], concurrency: 1 },
    ),
  );
  await stage.close();
  expect(judged.findings.map(({ verdict }) => verdict)).toEqual(["pass", "pass", "pass"]);
});
