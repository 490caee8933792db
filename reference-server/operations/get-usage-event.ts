import { readOne } from "../audit/history.ts";
import { usage } from "../audit/usage.ts";
import { notFound } from "../http/errors.ts";
import { type Operation, success } from "../http/operation.ts";

/** GET /auth/usage/history/v2/{event_id}: one of the caller's events in full; another account's event is unknown. */
export const getUsageEvent: Operation<"getUsageEvent"> = async ({ params, caller }, { database }) => {
  const scope = { database, accountId: caller.account.id };
  const event = await readOne(usage, scope, params.event_id.toLowerCase());
  if (!event) throw notFound("No usage event of this id belongs to the account.");
  return { status: 200, body: success(event) };
};
