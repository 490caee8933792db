import type { Stage } from "../../run/check.ts";
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
      (one) => one !== 401 && one !== 403,
    );
  }
}
