import { mutant, mutantsOf, onEach, onPath, type Body, type Change } from "../../changes/mutant.ts";

/** Changes the usage events of some Calls. */
const onCalls = (chooses: (event: Body) => boolean, change: (event: Body) => Body): Change =>
  onPath("listUsage", "data.items.*", (event) =>
    (event as Body)["event_type"] === "tool_execute" && chooses(event as Body)
      ? { ...(event as Body), ...change(event as Body) }
      : event,
  );

const failsBy = (reason: string) => (event: Body) => event["reason_code"] === reason;

const requestingNothing = onCalls(
  (event) => event["charge_outcome"] === "included",
  () => ({ requested_amount_credits: 0, pre_settlement_amount_credits: 0, pre_settlement_bill: null }),
);

/** Mutants that differ between the stages of billing: execution, statement before settlement, settlement. */
export const mutants = [
  ...mutantsOf({
    "BILL-07": {
      "rounds billing amounts to whole credits": onPath("call", "billing.list_amount_credits", (amount) =>
        Math.round(Number(amount)),
      ),
      "shows the settled amount in the pre-settlement bill": onCalls(
        () => true,
        ({ pre_settlement_bill: bill, settled_amount_credits: settled }) => ({
          pre_settlement_bill: bill && { ...(bill as Body), list_amount_credits: settled },
        }),
      ),
      "shows a zero list amount in a ledger entry's pre-settlement bill": onEach("listLedger", "data.items", {
        pre_settlement_bill: (bill: unknown) => bill && { ...(bill as Body), list_amount_credits: 0 },
      }),
      "shows a requested amount of zero for a Call under a policy exemption": requestingNothing,
    },
    "BILL-09": {
      "shows a requested amount of zero for an included Call": requestingNothing,
      "shows twice the price as cost when the price is below one credit": onPath("call", "cost", (cost) =>
        Number(cost) < 1 ? 2 * Number(cost) : cost,
      ),
    },
  }),
  ...["result.empty", "transport.timeout", "provider.http_error"].map((reason) =>
    mutant(
      "BILL-03",
      `records a Call that ends with ${reason} as a success`,
      onCalls(failsBy(reason), () => ({ success: true })),
    ),
  ),
];
