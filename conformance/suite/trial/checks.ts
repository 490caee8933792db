import { check } from "../../run/check.ts";
import { trialCredits } from "../../../generated/contract.ts";
import { modestRequest } from "../../server/requests.ts";
import { freeAddress, registerTrial } from "../../server/trials.ts";
import { candidatesForTotal } from "../../books/unnamed.ts";
import { sameCredits } from "../../judge/credits.ts";
import { Unverifiable } from "../../judge/verdict.ts";
import { expectRefused, requireServed } from "./admitted.ts";

const feature = "trial";

export const checks = [
  check(
    ["TRIA-01", "TRIA-06"],
    "a registration with a name opens an account with 50 credits",
    { feature },
    async ({ stranger, unique, expect }) => {
      const answer = await stranger.ask("registerAnonymous", { body: { agent_name: unique("agent") } });
      expect(answer).toHaveStatus(200);
      expect(answer.at("status")).toBe("success");
      const account = stranger.withKey(answer.at("data.api_key").string);
      expect(await account.credits(), "the credits of a fresh trial").toBeCredits(trialCredits);
      const read = await account.ask("getCredits");
      // "may use Discover/Inspect/Call": whether a trial may read its account is unspecified.
      if (read.status === 200) {
        const amounts = [...candidatesForTotal(read.at("data")).values()];
        const isThere = amounts.some((amount) => sameCredits(amount, trialCredits));
        if (amounts.length > 0) expect(isThere, `whether ${trialCredits} is among its credits`).toBe(true);
      }
      const chinese = await stranger.ask("registerAnonymous", { body: { agent_name: "代理" } });
      expect(chinese).toHaveStatus(200);
    },
  ),

  check(
    "TRIA-02",
    "a name that is not a string and a body that is not an object are refused with 422",
    { feature },
    async ({ stranger, unique, expect }) => {
      await registerTrial(stranger, unique("agent"));
      expect(await stranger.ask("registerAnonymous", { body: { agent_name: 42 } })).toHaveStatus(422);
      expect(await stranger.ask("registerAnonymous", { body: ["agent"] })).toHaveStatus(422);
      // Whether the name is required is not shown: without a body, both accepting and refusing are right.
      expect(await stranger.ask("registerAnonymous")).toHaveStatus(200, 400, 411, 415, 422);
    },
  ),

  check(
    ["TRIA-05", "TRIA-10"],
    "each of two trials has its own key, claim code, balance and history",
    { feature, needs: ["tool.charged"] },
    async ({ stranger, tool, expect }) => {
      const [one, other] = [await registerTrial(stranger), await registerTrial(stranger)];
      expect(other.account.key, "the key of a second trial").not(one.account.key);
      expect(other.claimCode, "the claim code of a second trial").not(one.claimCode);
      const call = await one.account.succeed(tool("charged"));
      const execution = call.at("execution_id").string;
      expect(await one.account.usageEventsOf(execution), "the events in its own history").toHoldSomething();
      const foreign = await other.account.usage({ execution_id: execution });
      expect(foreign.status === 200 ? foreign.at("data.items").value : [], "the events in another's").toBe(
        [],
      );
      expect(await other.account.credits(), "the credits of the other trial").toBeCredits(trialCredits);
    },
  ),

  check(
    "TRIA-30",
    "the key of a trial whose 7 days are over does nothing",
    { feature, needs: ["expired_trial"] },
    async (stage) => {
      const { account, stranger, profile } = stage;
      await requireServed(stage, account);
      const ended = stranger.withKey(profile.credentials.expired_trial!);
      await expectRefused(stage, ended, "with the key of an ended trial");
    },
  ),

  check(
    "TRIA-29",
    "the key of a trial whose 7 days are over is refused",
    { feature, needs: ["expired_trial"] },
    async ({ account, stranger, profile, expect }) => {
      const expired = stranger.withKey(profile.credentials.expired_trial!);
      for (const operation of ["discover", "inspect", "call"] as const) {
        const request = modestRequest(operation, profile);
        const opened = await account.ask(operation, request);
        expect(opened.status, `the status of ${operation} with a valid key`).not(401);
        const refused = await expired.ask(operation, request);
        expect(refused.status, `the status of ${operation} with the key of an ended trial`).toBeStatus(401);
      }
    },
  ),

  check(
    "TRIA-07",
    "a trial key may Discover, Inspect and Call",
    { feature, needs: ["tool.charged"] },
    async ({ stranger, tool, expect }) => {
      const { account } = await registerTrial(stranger);
      expect(await account.discover("data")).toHaveStatus(200);
      expect(await account.inspect([tool("charged").id])).toHaveStatus(200);
      expect(await account.call(tool("charged"))).toHaveSucceeded();
    },
  ),

  check(
    "TRIA-11",
    "registrations beyond the declared limit of an address are refused with 429, and nothing is opened",
    { feature, window: true },
    async ({ stranger, profile, expect }) => {
      const quota = profile.limits.anonymous;
      if (quota === undefined) {
        throw new Unverifiable(
          "how many registrations one address may send is not given",
          "limits: {anonymous: N}",
        );
      }
      await registerTrial(stranger);
      const send = () =>
        stranger.ask("registerAnonymous", { body: { agent_name: "conformance limit" }, impatient: true });
      // The window may end during the burst: two quotas do not fit into the rest of one window and the next.
      for (let sent = 0; sent <= 2 * quota; sent += 10) {
        const answers = await Promise.all(Array.from({ length: 10 }, send));
        const refused = answers.find((answer) => answer.status === 429);
        if (refused === undefined) continue;
        expect(refused).toBeAnErrorObject();
        expect(refused.at("status_code")).toBe(429);
        expect(refused.at("data.api_key")).toBeAbsent();
        // Claims may share the limit; the rules judge how they are refused then.
        const body = { claim_code: "unknown", email: freeAddress(profile), code: "000000" };
        await stranger.ask("startClaim", { body, impatient: true });
        await stranger.ask("verifyClaim", { body, impatient: true });
        const seconds = Math.min(Number(refused.headers["retry-after"]) || 1, profile.limits.window);
        await stranger.session.pause(1000 * seconds, "registrations to be admitted again");
        expect(await stranger.ask("registerAnonymous", { body: { agent_name: "after" } })).toHaveStatus(200);
        return;
      }
      expect(false, `whether one of ${2 * quota} registrations is refused`).toBe(true);
    },
  ),
];
