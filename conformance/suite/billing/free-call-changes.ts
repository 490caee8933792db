import type { Request } from "../../../reference-server/http/operation.ts";
import { onOperation, type Change } from "../../changes/mutant.ts";

/** Settles the Calls that the predicate selects to zero; it is evaluated once per Call. */
export const freeing = (chooses: (request: Request<"call">) => boolean): Change =>
  onOperation("call", (call) => (request, context) => {
    if (!chooses(request)) return call(request, context);
    const { pricing } = context;
    const settle: typeof pricing.settle = (tool, execution, bill) => {
      const settlement = pricing.settle(tool, execution, bill);
      return settlement.billableSuccess
        ? { ...settlement, amount: 0, chargeOutcome: "included" }
        : settlement;
    };
    return call(request, { ...context, pricing: { ...pricing, settle } });
  });
