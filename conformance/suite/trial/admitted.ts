import type { Stage } from "../../run/check.ts";
import type { Answer } from "../../judge/answer.ts";
import { Unverifiable } from "../../judge/verdict.ts";
import type { Account } from "../../server/account.ts";
import { modestRequest } from "../../server/requests.ts";

/** Expects a trial key to give access to the three operations that a trial may use; nothing is charged. */
export async function expectAdmitted(
  { expect, profile }: Stage,
  account: Account,
  when: string,
): Promise<void> {
  for (const operation of ["discover", "inspect", "call"] as const) {
    const { status } = await account.ask(operation, modestRequest(operation, profile));
    expect(status, `the status of ${operation} ${when}`).toSatisfy(
      "neither 401 nor 403",
      (status) => status !== 401 && status !== 403,
    );
  }
}

/** @throws Unverifiable when a valid key is not served either: refusals show nothing of an ended trial then */
export async function requireServed({ profile }: Stage, account: Account): Promise<void> {
  for (const operation of served) {
    if (isServed(await account.ask(operation, modestRequest(operation, profile)))) continue;
    throw new Unverifiable(`${operation} is not served with a valid key`);
  }
}

/**
 * Expects the key of an ended trial to give nothing: no search, no Inspect, no Call that succeeds. With which words and
 * status it is refused is another clause's matter, and a Call of an unknown tool would show nothing.
 */
export async function expectRefused({ expect, profile }: Stage, ended: Account, when: string): Promise<void> {
  for (const operation of served) {
    const answer = await ended.ask(operation, modestRequest(operation, profile));
    expect(isServed(answer), `whether ${operation} is served ${when}`).toBe(false);
  }
  const { charged } = profile.tools;
  if (charged === undefined) return;
  const call = await ended.call({ parameters: {}, ...charged });
  const isExecuted = call.status === 200 && call.at("success").value === true;
  expect(isExecuted, `whether a Call is executed ${when}`).toBe(false);
}

/** What a trial is served without a charge. */
const served = ["discover", "inspect"] as const;

const isServed = (answer: Answer): boolean =>
  answer.status === 200 && typeof answer.at("error_message").value !== "string";
