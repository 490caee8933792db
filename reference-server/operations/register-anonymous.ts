import { credits } from "../billing/money.ts";
import { success, type Operation } from "../http/operation.ts";

/** Opens an anonymous trial; its key and claim code are shown only once (contract: Anonymous trial and claim). */
export const registerAnonymous: Operation<"registerAnonymous"> = async ({ body }, { accounts, books }) => {
  const { account, apiKey, claimCode } = await accounts.registerTrial(body?.agent_name ?? null);
  const { welcomeBonus } = await books.balance(account.id);
  if (account.trialExpiresAt === null) throw new Error(`the trial ${account.id} has no end`);
  return {
    status: 200,
    body: success(
      {
        api_key: apiKey,
        claim_code: claimCode,
        agent_id: account.id,
        trial_credits: credits(welcomeBonus.initial),
        expires_at: new Date(account.trialExpiresAt).toISOString(),
      },
      "The trial is open. Keep the key and the claim code: they are not shown again.",
    ),
  };
};
