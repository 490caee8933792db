import type { OperationId } from "../../../generated/contract.ts";
import { mutantsOf, onBody, onFields, onPart, type Body, type Change } from "../../changes/mutant.ts";

/** Makes an operation report the remaining credits of the account's first request. */
function rememberingFirst(operation: OperationId): Change {
  const first = new Map<string | undefined, unknown>();
  return onBody(operation, (body, { headers }) => {
    const who = headers.authorization;
    if (!first.has(who)) first.set(who, body["remaining_credits"]);
    return { ...body, remaining_credits: first.get(who) };
  });
}

/** Makes Discover report the remaining credits of the previous caller. */
function mistakingCallers(): Change {
  let last: unknown;
  return onBody("discover", (body) => {
    const mine = body["remaining_credits"];
    const said = last ?? mine;
    last = mine;
    return { ...body, remaining_credits: said };
  });
}

/** Makes some Calls report one extra credit. */
const staleOn = (chooses: (body: Body, sent: string) => boolean): Change =>
  onBody("call", (body, request) =>
    chooses(body, request.sent())
      ? { ...body, remaining_credits: Number(body["remaining_credits"]) + 1 }
      : body,
  );

export const mutants = mutantsOf({
  "ACCT-02": {
    "remembers for Discover what an account had left at first": rememberingFirst("discover"),
    "remembers for a detail what an account had left at first": rememberingFirst("getCapability"),
    "answers in Discover what the caller before has left": mistakingCallers(),
    "says in Discover that nothing is left": onFields("discover", { remaining_credits: 0 }),
    "says in a detail that nothing is left": onFields("getCapability", { remaining_credits: 0 }),
  },
  "BILL-10": {
    "answers what remained before the charge": onPart("books", (books) => ({
      ...books,
      settle: async (executionId, event) => {
        const recorded = await books.settle(executionId, event);
        return { ...recorded, remaining: recorded.remaining + event.settled_amount };
      },
    })),
    "answers in a summary what remained before": staleOn((_, sent) => sent.includes('"summary"')),
    "answers with fields what remained before": staleOn((_, sent) => sent.includes('"fields:$"')),
    "answers what remained before where a result is truncated": staleOn((_, sent) =>
      sent.includes('"max_response_size":1000'),
    ),
    "answers what remained before where a Call fails": staleOn(({ success }) => success === false),
    "answers to a capability query that nothing remains": onFields("queryCapability", {
      remaining_credits: 0,
    }),
  },
});
