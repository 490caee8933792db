import { trialDays } from "../../../generated/contract.ts";
import { check, type Stage } from "../../run/check.ts";
import type { Account } from "../../server/account.ts";
import { modestRequest } from "../../server/requests.ts";
import { freeAddress, registerTrial, startedClaim, verifiedClaim } from "../../server/trials.ts";
import { expectAdmitted, expectRefused } from "./admitted.ts";
import { day, roundingOfEnd } from "./rules.ts";

/** A request takes time too; in seconds. */
const marginSeconds = 60;

const timed = { feature: "trial", needs: ["time"] } as const;

/** A trial 7 days after its registration: before its end, as far as that may be rounded, or after it. */
async function agedTrial({ stranger, profile }: Stage, side: "before" | "after"): Promise<Account> {
  const { account, answer } = await registerTrial(stranger);
  const off = roundingOfEnd(answer.at("data").value) + marginSeconds;
  const pass = (seconds: number) => stranger.session.pause(1000 * seconds, `${side} the end of a trial`);
  await pass(trialDays * day - off);
  if (side === "before") return account;
  // The use of a trial does not prolong it.
  await account.ask("inspect", modestRequest("inspect", profile));
  await pass(2 * off);
  return account;
}

export const checks = [
  check(
    "TRIA-08",
    "a trial key is good for Discover, Inspect and Call until its 7 days are over",
    timed,
    async (stage) => {
      await expectAdmitted(stage, await agedTrial(stage, "before"), "shortly before the 7 days are over");
    },
  ),

  check("TRIA-30", "a trial key does nothing as soon as its 7 days are over", timed, async (stage) => {
    await expectRefused(stage, await agedTrial(stage, "after"), "shortly after the 7 days are over");
  }),

  check("TRIA-29", "a trial key is refused as soon as its 7 days are over", timed, async (stage) => {
    const ended = await agedTrial(stage, "after");
    for (const operation of ["discover", "inspect", "call"] as const) {
      const { status } = await ended.ask(operation, modestRequest(operation, stage.profile));
      stage.expect(status, `the status of ${operation} shortly after the 7 days are over`).toBeStatus(401);
    }
  }),

  check(
    "TRIA-24",
    "the key of a claimed account is good for Inspect when the trial's 7 days are over",
    { feature: "claim", needs: ["time", "mailbox"] },
    async ({ stranger, mailbox, profile, expect }) => {
      const { account, claimCode } = await registerTrial(stranger);
      const email = freeAddress(profile);
      await startedClaim(stranger, claimCode, email);
      await verifiedClaim(stranger, claimCode, email, await mailbox.codeFor(email));
      await stranger.session.pause(
        1000 * (trialDays + 1) * day,
        "the days of a trial that was claimed to end",
      );
      const { status } = await account.ask("inspect", modestRequest("inspect", profile));
      expect(status, "the status of inspect 8 days after the registration").toBeStatus(200);
    },
  ),
];
