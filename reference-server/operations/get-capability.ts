import { credits } from "../billing/money.ts";
import { published } from "../catalog/tool.ts";
import { forbidden, notFound } from "../http/errors.ts";
import type { Operation } from "../http/operation.ts";
import { assertDelegated } from "./delegation.ts";

/** The current published contract of a capability; a legacy record has neither version nor hash. */
export const getCapability: Operation<"getCapability"> = async (
  { params, query, caller },
  { books, catalog },
) => {
  const { delegation } = caller.credential;
  if (delegation !== null) assertDelegated(delegation, query);
  const capability = catalog.capability(params.capability_id);
  if (capability === undefined)
    throw notFound(`There is no capability ${JSON.stringify(params.capability_id)}.`);
  if (delegation !== null && delegation.providerId !== capability.provider_id) {
    throw forbidden("The delegation token does not open this capability's provider.");
  }
  const { available } = await books.balance(caller.account.id);
  return {
    status: 200,
    body: {
      capability_id: capability.capability_id,
      name: capability.name,
      description: capability.description,
      ...published(capability),
      remaining_credits: credits(available),
    },
  };
};
