import { secretHash } from "../../../reference-server/accounts/keys.ts";
import type { Account } from "../../../reference-server/parts.ts";
import { onPart, type Change } from "../../changes/mutant.ts";

/**
 * Ends the keys of trials at another time.
 * @param at that time, from the right one, for an account, and now, all in epoch ms
 */
export const endingTrials = (at: (endsAt: number, accountId: string, now: number) => number): Change =>
  onPart("accounts", (accounts, { database, clock }) => ({
    ...accounts,
    async authenticate(token) {
      const caller = await accounts.authenticate(token);
      const ended = { refused: "The trial has ended." };
      if (!("refused" in caller)) {
        const { id, trialExpiresAt } = caller.account;
        const isEnded = trialExpiresAt !== null && clock.now() >= at(trialExpiresAt, id, clock.now());
        return isEnded ? ended : caller;
      }
      if (!/trial has ended/.test(caller.refused)) return caller;
      const key = await database("api_keys")
        .join("accounts", "accounts.id", "api_keys.account_id")
        .where({ key_hash: secretHash(token) })
        .first<{ id: string; account_id: string; trial_expires_at: number }>(
          "api_keys.id",
          "account_id",
          "trial_expires_at",
        );
      if (clock.now() >= at(key.trial_expires_at, key.account_id, clock.now())) return caller;
      const account: Account = {
        id: key.account_id,
        type: "trial",
        name: null,
        email: null,
        createdAt: 0,
        trialExpiresAt: null,
      };
      return {
        account,
        credential: { type: "api_key", apiKeyId: key.id, oauthClientId: null, delegation: null },
      };
    },
  }));

/** Ends each trial some time after its last use. */
export function prolongingTrials(ms: number): Change {
  const ends = new Map<string, number>();
  return endingTrials((endsAt, id, now) => {
    const end = Math.max(endsAt, ends.get(id) ?? 0);
    if (now < end) ends.set(id, now + ms);
    return end;
  });
}
