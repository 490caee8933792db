import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Change } from "../../changes/mutant.ts";
import type { Script } from "../../judge/finding.ts";
import { mutants } from "../../proof/mutants.ts";
import { openStage, type Stage } from "../../proof/stage.ts";
import type { Profile } from "../../server/profile.ts";
import { Secrets } from "../../server/secrets.ts";
import { checks } from "../../suite/checks.ts";
import { rules } from "../../suite/rules.ts";
import { run } from "../run.ts";
import { select } from "../select.ts";
import { givenKeys } from "./keys.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

const sh = async (shell: string, profile: Profile): Promise<string> => {
  const keys = [...givenKeys(profile, new Secrets()).values()].map(({ variable, key }) => [variable, key]);
  const env = { ...process.env, ...(Object.fromEntries(keys) as Record<string, string>) };
  return (await promisify(execFile)("sh", ["-c", shell], { env })).stdout;
};
const mutantOf = (name: string): Change => mutants.find((mutant) => mutant.name === name)!.change;

/** The script of a check that fails on a mutant, and what the shell prints of it there. */
const scripted = (
  mutant: string,
  id: string,
  changes: Partial<Profile> = {},
): Promise<Script & { printed: string }> =>
  stage.perform(mutantOf(mutant), async (profile) => {
    // The reference server is never late.
    const { findings } = await run(
      { ...profile, audit_lag: 0, ...changes },
      { ...select(checks, rules, [id]), scripts: true },
    );
    const { script } = findings.find((finding) => finding.id === id)!;
    return { ...script!, printed: script!.is_repeated ? await sh(script!.shell, profile) : "" };
  });

it("shows a wrong row by a trial, its Call and the read, and so does the shell", async () => {
  const { requests, is_repeated, printed } = await scripted(
    "shows a requested amount of twice the billing_rule",
    "BILL-09/a-call-is-billed-before-settlement-at-the-amount-of-its-billing-rule-charged",
  );
  expect({ requests, is_repeated }).toEqual({ requests: 3, is_repeated: true });
  expect(printed).toContain('"requested_amount_credits":2');
});

it("shows a Call that is settled twice by the books, without the nine others", async () => {
  const { requests, printed } = await scripted(
    "settles a Call twice if it requests an unlimited result size",
    "BILL-12/ten-calls-at-the-same-time-are-each-settled-once-and-the-balance-falls-by-their-sum",
  );
  expect(requests).toBeLessThanOrEqual(5);
  const last = JSON.parse(printed.slice(printed.lastIndexOf("\r\n\r\n"))) as {
    data: { items: { entry_type: string }[] };
  };
  const { items } = last.data;
  expect(items.filter(({ entry_type: type }) => type === "consume_tool_execute")).toHaveLength(2);
});

it("shows what another account sees, with a trial for each", async () => {
  const { shell, printed } = await scripted(
    "continues as the account that a cursor was issued to",
    "ACCT-21/a-cursor-from-another-account-s-settlement-history-reveals-none-of-its-settlements",
  );
  expect(shell.match(/anonymous-register/g)).toHaveLength(2);
  expect(printed).toContain("HTTP/1.1 200");
});

it("keeps the request that leaves the row which another account names", async () => {
  const { shell, printed } = await scripted(
    "shows an event to anyone who knows its id",
    "USAG-29/an-event-of-another-account-is-not-answered-with-success",
  );
  expect(shell).toMatch(/\/(?:search|tools)/);
  expect(printed.slice(printed.lastIndexOf("HTTP/1.1"))).toMatch(/"id":"[^"]+"/);
  expect(printed).not.toContain('"items":[]');
});

it("reads again with a key of the profile where the server registers no trials", async () => {
  const { shell, requests, is_repeated, printed } = await scripted(
    "shows a requested amount of twice the billing_rule",
    "BILL-09/a-call-is-billed-before-settlement-at-the-amount-of-its-billing-rule-charged",
    { features: { trial: "accounts are opened by contract" } },
  );
  expect({ requests, is_repeated }).toEqual({ requests: 1, is_repeated: true });
  expect(shell).toContain(': "${ACCOUNT:?set it to credentials.account of the profile}"');
  expect(printed).toContain('"requested_amount_credits":2');
});

it("lists what was sent where it would cost an account of the profile credits", async () => {
  const { shell, is_repeated } = await scripted(
    "returns the same execution_id for every Call",
    "CALL-02/concurrent-calls-have-distinct-execution-ids",
    { features: { trial: "accounts are opened by contract" } },
  );
  expect(is_repeated).toBe(false);
  expect(shell).toContain("/tools/execute");
});
