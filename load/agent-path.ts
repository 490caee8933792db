import { limitedOperations, type LimitedOperation } from "../generated/contract.ts";
import { whyOff, type Profile } from "../conformance/server/profile.ts";
import { Unverifiable } from "../conformance/judge/verdict.ts";
import { callPlan, freePlan, type Planned, type Sender } from "./planned.ts";
import type { AccountLease } from "./account-leases.ts";

/** A request of a step. Calls are charged if the account comes from the profile, and so can afford it. */
export function stepOf(operation: LimitedOperation, sender: Sender, profile: Profile): Planned {
  if (operation !== "call") return freePlan(operation, sender, profile);
  const { charged, included } = profile.tools;
  const use = (sender.pays === true ? charged : included) ?? included ?? charged;
  if (use === undefined) throw new Unverifiable("no tool is given, nor found", "tools: {charged: TOOL_ID}");
  return callPlan(sender, use);
}

/** The steps of the agent path that a server has. */
export const stepsOf = (profile: Profile): LimitedOperation[] =>
  limitedOperations.filter((operation) => whyOff(profile, operation) === undefined);

/**
 * The agent path of one sender: Discover, Inspect, Probe and Call.
 * @param suffix appended to the names of the steps in the figures
 */
export const pathOf = (sender: Sender, profile: Profile, suffix = ""): Planned[] =>
  stepsOf(profile).map((operation) => {
    const planned = stepOf(operation, sender, profile);
    return { ...planned, step: planned.step + suffix };
  });

/** One key of each account: keys of one account share its quota. */
export const sendersOf = (leases: readonly AccountLease[]): Sender[] =>
  leases.map(({ senders }) => senders[0]!);

/** The rate of paths per second that the quotas of some accounts sustain. */
export function lawfulRate(accounts: number, profile: Profile): number {
  const least = Math.min(...stepsOf(profile).map((operation) => profile.limits[operation]));
  return (accounts * least) / profile.limits.window;
}
