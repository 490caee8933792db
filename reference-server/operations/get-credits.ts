import { credits } from "../billing/money.ts";
import { type Operation, success } from "../http/operation.ts";

/** GET /auth/credits: the credits of the caller's account by category, and the spendable amount. */
export const getCredits: Operation<"getCredits"> = async ({ caller }, { books }) => {
  const { available, welcomeBonus, inviteReward, purchased } = await books.balance(caller.account.id);
  return {
    status: 200,
    body: success({
      remaining_credits: credits(available),
      // The reference grants no daily credits.
      daily_free: { remaining: 0, total: 0 },
      invite_reward: { remaining: credits(inviteReward.remaining), total: credits(inviteReward.total) },
      purchased: { remaining: credits(purchased.remaining), total: credits(purchased.total) },
      welcome_bonus: { remaining: credits(welcomeBonus.remaining), initial: credits(welcomeBonus.initial) },
    }),
  };
};
