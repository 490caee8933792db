import { WrongUse } from "../../base/exit.ts";
import { Blocked, Unmet, Unverifiable } from "../judge/verdict.ts";
import { Account } from "../server/account.ts";
import type { Profile } from "../server/profile.ts";
import { affordable } from "../server/tools.ts";
import type { Session } from "../server/session.ts";

const lacksCredits = 402;

/**
 * Makes sure that the profile's account can pay for Calls. A server that refuses them may be right: what would fail
 * is then the profile's fault.
 * @throws WrongUse where the account shows less than a Call may cost, and a Call of a charged tool is refused for the want of them
 */
export async function requirePaying(profile: Profile, session: Session): Promise<void> {
  const { account: key } = profile.credentials;
  const { charged } = profile.tools;
  if (key === undefined || charged === undefined) return;
  const account = new Account(session, profile, key, "account");
  let left: number;
  try {
    left = await account.credits();
    if (left >= affordable) return;
    const { status } = await account.call({ parameters: {}, ...charged });
    if (status !== lacksCredits) return;
  } catch (error) {
    if (error instanceof Blocked || error instanceof Unmet || error instanceof Unverifiable) return;
    throw error;
  }
  throw new WrongUse(
    `the account of credentials.account has ${left} credits left, and a Call is refused (402); give one that can pay: credentials: {account: KEY}`,
  );
}
