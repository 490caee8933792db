import type { Account } from "../../server/account.ts";
import type { Answer, Located } from "../../judge/answer.ts";
import type { Use } from "../../server/profile.ts";
import { Unverifiable } from "../../judge/verdict.ts";
import { settledOf } from "../billing/traces.ts";

/** A Call, and its usage event. */
interface Called {
  answer: Answer;
  event: Located;
}

/**
 * What a tool's Calls settle to: Calls made between plain ones of the same tool, for comparison.
 * @param body of a plain Call, besides the tool and its parameters
 * @returns `plain` and `usual`, a plain Call and its usage event; `compared`, the Calls in between with theirs
 * @throws Unverifiable when plain Calls settle differently: a metered price, a discount or the end of an allotment
 *   would look like an effect of what is compared
 */
export async function betweenPlainCalls(
  account: Account,
  use: Required<Use>,
  body: Record<string, unknown>,
  between: () => Promise<Answer[]>,
): Promise<{ plain: Answer; usual: Located; compared: Called[] }> {
  const withEvent = async (answer: Answer): Promise<Called> => ({
    answer,
    event: await account.usageOf(answer),
  });
  const call = async (): Promise<Called> => withEvent(await account.succeed(use, body));
  const before = [await call(), await call()];
  const answers = await between();
  const { answer: plain, event: usual } = await call();
  const charge = (event: Located): string => `${event.at("charge_outcome").value} ${settledOf(event).value}`;
  if (before.some(({ event }) => charge(event) !== charge(usual))) {
    throw new Unverifiable(`Calls of ${use.id} settle to one amount now and another later`);
  }
  const compared: Called[] = [];
  for (const answer of answers) compared.push(await withEvent(answer));
  return { plain, usual, compared };
}
