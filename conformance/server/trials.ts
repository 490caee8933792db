import { randomBytes } from "node:crypto";
import { Blocked, Unverifiable } from "../judge/verdict.ts";
import { type Account, type Stranger, usable } from "./account.ts";
import type { Answer } from "../judge/answer.ts";
import type { Profile } from "./profile.ts";

/** An anonymous trial registered by a check. */
export interface Trial {
  account: Account;
  claimCode: string;
  answer: Answer;
}

/** Registers a trial. @throws Blocked when the answer has no key or no claim code */
export async function registerTrial(stranger: Stranger, name = "conformance trial"): Promise<Trial> {
  const answer = usable(await stranger.ask("registerAnonymous", { body: { agent_name: name } }));
  const account = stranger.withKey(answer.at("data.api_key").string);
  return { account, claimCode: answer.at("data.claim_code").string, answer };
}

/** The pattern of addresses where the profile names none. */
const usualAddresses = "claim-*@example.com";

/** An unused address made from the profile's pattern; `prefix` begins the text that replaces its `*`. */
export const freeAddress = ({ emails }: Profile, prefix = ""): string =>
  (emails.free ?? usualAddresses).replace("*", prefix + randomBytes(8).toString("hex"));

/**
 * @throws Unverifiable when the profile names no free addresses and no mailbox: a risk check may block the suite's own.
 *   A profile with a mailbox promises that claims can be started for the addresses that are used with it.
 */
export function requireFreeAddresses({ emails, mailbox }: Profile): void {
  if (emails.free !== undefined || mailbox !== undefined) return;
  throw new Unverifiable(
    `a risk check may block ${usualAddresses}, and no other addresses are given`,
    "emails: {free: claim-*@DOMAIN}",
  );
}

export const startClaim = (stranger: Stranger, claimCode: unknown, email: unknown): Promise<Answer> =>
  stranger.ask("startClaim", { body: { claim_code: claimCode, email } });

export const verifyClaim = (
  stranger: Stranger,
  claimCode: unknown,
  email: unknown,
  code: unknown,
): Promise<Answer> => stranger.ask("verifyClaim", { body: { claim_code: claimCode, email, code } });

/** Whether a step of a claim reports success. */
export const wentWell = (answer: Answer): boolean =>
  answer.status === 200 && answer.at("status").value === "success";

/** Starts a claim, for a check that depends on it. @throws Blocked when it fails, Unverifiable when it may */
export async function startedClaim(stranger: Stranger, claimCode: string, email: string): Promise<Answer> {
  const answer = await startClaim(stranger, claimCode, email);
  if (wentWell(answer)) return answer;
  requireFreeAddresses(stranger.profile);
  throw new Blocked("a claim with a valid code and a free address does not start", answer.exchange);
}

/** Verifies a claim, for a check that depends on it. @throws Blocked when it fails */
export async function verifiedClaim(
  stranger: Stranger,
  claimCode: string,
  email: string,
  code: string,
): Promise<Answer> {
  const answer = await verifyClaim(stranger, claimCode, email, code);
  if (wentWell(answer)) return answer;
  throw new Blocked("a claim is not verified by its own code", answer.exchange);
}
