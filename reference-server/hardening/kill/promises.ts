import { chargeOutcomeMeanings } from "../../../generated/contract.ts";
import type { AccountReading } from "../../account-reading.fixture.ts";
import { contradictions } from "../../account-reading.fixture.ts";
import type { Driven } from "./drive.ts";

const micro = (credits: number | null | undefined): number => Math.round((credits ?? 0) * 1e6);

/**
 * The promises to the client that an account's reading breaks, as sentences; empty if all are kept. An answered call is
 * recorded once, at the price in its answer; an unanswered call is recorded and charged at most once; the account does
 * not contradict itself.
 * @param granted the account's credits
 */
export function brokenPromises(
  reading: AccountReading,
  driven: readonly Driven[],
  granted: number,
): string[] {
  const found = contradictions(reading);
  const net = reading.entries.reduce((sum, entry) => sum + micro(entry.amount_credits), 0);
  if (net !== micro(reading.remaining)) {
    found.push(`${reading.remaining} credits remain, grants and entries come to ${net / 1e6}`);
  }
  const grants = reading.entries.filter(({ amount_credits }) => amount_credits > 0);
  if (grants.reduce((sum, { amount_credits }) => sum + micro(amount_credits), 0) !== micro(granted)) {
    found.push(`the grants are not the ${granted} credits that were given`);
  }
  const sessions = Map.groupBy(reading.events, ({ session_id }) => session_id ?? "");
  const entries = Map.groupBy(reading.entries, ({ execution_id }) => execution_id ?? "");
  for (const { session, tool, answer } of driven) {
    const events = sessions.get(session) ?? [];
    const what = `the call ${session} of ${tool}`;
    if (events.length > 1) found.push(`${what} has ${events.length} events`);
    const [event] = events;
    const moved = entries.get(event?.execution_id ?? answer?.executionId ?? "none") ?? [];
    if (moved.length > 1) found.push(`${what} moved the balance ${moved.length} times`);
    if (answer === null) continue;
    if (event === undefined) {
      found.push(`${what} was answered, and has no event`);
      continue;
    }
    if (event.execution_id !== answer.executionId) found.push(`${what} has the event of another execution`);
    if (event.success !== answer.success)
      found.push(`${what} was answered ${answer.success}, its event says not`);
    const settled = micro(event.settled_amount_credits);
    if (settled !== -micro(moved[0]?.amount_credits)) {
      found.push(`${what} settled ${settled}, its entry moved ${micro(moved[0]?.amount_credits)}`);
    }
    if (chargeOutcomeMeanings[event.charge_outcome].positiveAmount && settled !== micro(answer.cost)) {
      found.push(`${what} was answered with a cost of ${answer.cost}, and settled ${settled}`);
    }
  }
  const known = new Set(driven.map(({ session }) => session));
  for (const session of sessions.keys()) {
    if (!known.has(session)) found.push(`an event has the session ${session}, which nobody sent`);
  }
  return found;
}
