import type { Account } from "../target/account.ts";
import type { Answer, Located } from "../target/answer.ts";
import type { Use } from "../target/profile.ts";
import { Unverifiable } from "../verdict.ts";
import { settledOf } from "./billing-traces.ts";

/**
 * What a Call of a tool settles to, and Calls made in between plain ones of it, to be compared with that.
 * @param plain the body of a plain Call, beside the tool and its parameters
 * @throws Unverifiable when plain Calls settle differently: a metered price, a discount or the end of an allotment
 *   would pass for a difference of what is compared
 */
export async function betweenPlainCalls(
  account: Account,
  use: Required<Use>,
  plain: Record<string, unknown>,
  between: () => Promise<Answer[]>,
): Promise<{ usual: Located; compared: Located[] }> {
  const call = async (): Promise<Located> => account.usageOf(await account.succeed(use, plain));
  const before = [await call(), await call()];
  const answers = await between();
  const usual = await call();
  const what = (event: Located): unknown[] => [event.at("charge_outcome").value, settledOf(event).value];
  if (before.some((event) => String(what(event)) !== String(what(usual)))) {
    throw new Unverifiable(`Calls of ${use.id} settle to one amount now, to another then`);
  }
  const compared: Located[] = [];
  for (const answer of answers) compared.push(await account.usageOf(answer));
  return { usual, compared };
}
