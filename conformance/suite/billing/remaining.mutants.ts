import type { OperationId } from "../../../generated/contract.ts";
import { mutantsOf, onBody, onFields, onPart, type Body, type Change } from "../../changes/mutant.ts";

/** Makes an operation report the remaining credits of the account's first request. */
function rememberingFirst(operation: OperationId): Change {
  const first = new Map<string, unknown>();
  return onBody(operation, (body, { headers: { host, authorization } }) => {
    const who = `${authorization} of ${host}`;
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

/** Makes some answers report more credits than remain. */
const overstating = (
  operation: OperationId,
  chooses: (body: Body, sent: string) => boolean = () => true,
  credits = 5,
): Change =>
  onBody(operation, (body, request) =>
    chooses(body, request.sent())
      ? { ...body, remaining_credits: Number(body["remaining_credits"]) + credits }
      : body,
  );

const staleOn = (chooses: (body: Body, sent: string) => boolean): Change => overstating("call", chooses, 1);

export const mutants = mutantsOf({
  "ACCT-02": {
    "keeps returning an account's first balance in Discover": rememberingFirst("discover"),
    "keeps returning an account's first balance in a capability detail": rememberingFirst("getCapability"),
    "returns the previous caller's balance in Discover": mistakingCallers(),
    "returns remaining_credits 0 in Discover": onFields("discover", { remaining_credits: 0 }),
    "returns remaining_credits 0 in a capability detail": onFields("getCapability", { remaining_credits: 0 }),
  },
  "BILL-10": {
    "returns the balance before the charge": onPart("books", (books) => ({
      ...books,
      settle: async (executionId, event) => {
        const recorded = await books.settle(executionId, event);
        return { ...recorded, remaining: recorded.remaining + event.settled_amount };
      },
    })),
    "overstates remaining_credits in a summary": staleOn((_, sent) => sent.includes('"summary"')),
    "overstates remaining_credits in a fields answer": staleOn((_, sent) => sent.includes('"fields:$"')),
    "overstates remaining_credits for a truncated result": staleOn((_, sent) =>
      sent.includes('"max_response_size":1000'),
    ),
    "overstates remaining_credits for a failed Call": staleOn(({ success }) => success === false),
    "returns remaining_credits 0 for a capability query": onFields("queryCapability", {
      remaining_credits: 0,
    }),
  },
  "BILL-43": {
    "rounds remaining_credits of a Call up to whole credits": onBody("call", (body) => ({
      ...body,
      remaining_credits: Math.ceil(Number(body["remaining_credits"])),
    })),
    "overstates remaining_credits of a Call by five": overstating("call"),
    "overstates remaining_credits of a Call that is answered by fields by five": overstating(
      "call",
      (_, sent) => sent.includes('"fields:$"'),
    ),
    "overstates remaining_credits of a truncated Call by five": overstating("call", (_, sent) =>
      sent.includes('"max_response_size":1000'),
    ),
    "overstates remaining_credits of a failed Call by five": overstating(
      "call",
      ({ success }) => success === false,
    ),
    "overstates remaining_credits of a capability query by five": overstating("queryCapability"),
  },
});
