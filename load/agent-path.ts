import { limitedOperations } from "../generated/contract.ts";
import type { Limited } from "../conformance/subject/windows.ts";
import type { Profile } from "../conformance/subject/profile.ts";
import { Unverifiable } from "../conformance/judge/verdict.ts";
import { callPlan, freePlan, type Planned, type Sender } from "./planned.ts";
import type { LoadRun, Seat } from "./run.ts";

/** One request of a step. Calls are charged where the accounts are the profile's own, which can afford it. */
export function stepOf(operation: Limited, sender: Sender, profile: Profile): Planned {
  if (operation !== "call") return freePlan(operation, sender, profile);
  const { charged, included } = profile.tools;
  const use = (profile.credentials.account === undefined ? included : charged) ?? included ?? charged;
  if (use === undefined) throw new Unverifiable("no tool is given, nor found", "tools: {charged: TOOL_ID}");
  return callPlan(sender, use);
}

/**
 * Discover, Inspect, Probe and Call, by one sender.
 * @param suffix told behind the steps' names in the figures
 */
export const pathOf = (sender: Sender, profile: Profile, suffix = ""): Planned[] =>
  limitedOperations.map((operation) => {
    const planned = stepOf(operation, sender, profile);
    return { ...planned, step: planned.step + suffix };
  });

/** One key of each account: its quota is one, however many keys share it. */
export const sendersOf = (seats: readonly Seat[]): Sender[] => seats.map(({ senders }) => senders[0]!);

/** Paths a second that the quotas of some accounts allow for good. */
export function lawfulRate(accounts: number, { limits }: Profile): number {
  const least = Math.min(...limitedOperations.map((operation) => limits[operation]));
  return (accounts * least) / limits.window;
}

/**
 * Goes the whole path once, step after step. Each step's latency counts from when the step before was answered, the
 * whole path's from its intended beginning.
 * @param suffix told behind the name of the whole path in the figures
 */
export async function goPath(
  { sending, take, figures, clock }: LoadRun,
  path: readonly Planned[],
  intendedAt: number,
  suffix = "",
): Promise<void> {
  let beginsAt = intendedAt;
  for (const planned of path) {
    const came = await sending.send(planned, beginsAt);
    take(came);
    if (came.exchange.response === null) return;
    beginsAt = clock.now();
    if (planned.operation !== "call") continue;
    figures.takeWhole(came.exchange.response.status, came.answeredAt - intendedAt, suffix);
  }
}
