import type { Context, Request } from "../../../reference-server/http/operation.ts";
import { newExecutionId } from "../../../reference-server/ids.ts";
import { executeAndSettle } from "../../../reference-server/operations/execution.ts";
import { moving, answering, mutantsOf, onPath, type Change } from "../../changes/mutant.ts";

/** Performs a side effect with each Probe that is answered with 200. */
const withEffect = (act: (request: Request<"probe">, context: Context) => Promise<unknown>): Change =>
  answering("probe", async (answer, request, context) => {
    if (answer.status === 200) await act(request, context);
    return answer;
  });

export const mutants = mutantsOf({
  "PROB-17": {
    "executes the tool when live_budget is sampled": withEffect(async (request, context) => {
      const tool = context.catalog.find(request.query.tool_id);
      if (request.body?.live_budget !== "sampled" || tool === undefined) return;
      const parameters = request.body.parameters ?? {};
      await executeAndSettle(
        {
          caller: request.caller,
          eventType: "tool_execute",
          executionId: newExecutionId(context),
          sessionId: null,
          searchId: null,
          model: null,
          tool,
          displayTarget: tool.name.en,
          parameters,
          request: { tool_id: tool.tool_id, parameters },
        } as unknown as Parameters<typeof executeAndSettle>[0],
        context,
      );
    }),
  },
  "PROB-21": {
    "charges a little for every quote": withEffect(async ({ body, caller }, { books }) => {
      if (body?.checks?.includes("quote")) await moving(books, caller.account.id, -0.001);
    }),
  },
  "PROB-22": {
    "quotes a tenth less than it charges": onPath(
      "probe",
      "quote.estimate_credits",
      (amount) => 0.9 * Number(amount),
    ),
    "rounds quotes to whole credits": onPath("probe", "quote.estimate_credits", (amount) =>
      Math.round(Number(amount)),
    ),
    "marks the quote of a per-row price as exact": onPath("probe", "quote.exact", () => true),
  },
});
