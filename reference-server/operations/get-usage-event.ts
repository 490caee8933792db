import { usageEvent } from "../audit/usage-reads.ts";
import { notFound } from "../http/errors.ts";
import { type Operation, success } from "../http/operation.ts";

/** GET /auth/usage/history/v2/{event_id}: one of the caller's events in full; another account's is as unknown as none. */
export const getUsageEvent: Operation<"getUsageEvent"> = async ({ params, caller }, { database }) => {
  const event = await usageEvent(database, caller.account.id, params.event_id);
  if (!event) throw notFound("No usage event of this id belongs to the account.");
  return { status: 200, body: success(event) };
};
