import { Account } from "./account.ts";
import { usualLagSeconds } from "./profile.ts";
import { Blocked, Unverifiable } from "../judge/verdict.ts";

/** A run waits no longer for the first rows: of a server that shows none by then, no row is called missing. */
const longestLagSeconds = 60;

/**
 * Measures the delay of the server's audit, whose promptness the contract does not promise: the time until an Inspect
 * and, where the profile knows a tool, a charged Call have their events and entries. In seconds, with a reserve; the
 * usual delay when the audit cannot be read, or the run's limits allow no Call; undefined when it shows nothing.
 */
export async function measuredLag({ session, profile, key }: Account): Promise<number | undefined> {
  const { charged } = profile.tools;
  const { waiting } = session.client;
  const mostSeconds = Math.min(longestLagSeconds, waiting.leftMs / 1_000);
  const patient = new Account(session, { ...profile, audit_lag: mostSeconds }, key, "audit lag");
  const over = waiting.begin("the audit", 0);
  const started = performance.now();
  try {
    if (charged !== undefined) await patient.call({ parameters: {}, ...charged });
    // As it waits as long again for late rows, its duration is twice the delay.
    await patient.settled();
    return Math.max(usualLagSeconds, (performance.now() - started) / 1_000);
  } catch (error) {
    if (error instanceof Unverifiable) return undefined;
    if (error instanceof Blocked) return usualLagSeconds;
    throw error;
  } finally {
    over();
  }
}
