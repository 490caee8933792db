import type { Answer } from "../judge/answer.ts";
import { Account, isSettled } from "./account.ts";
import { usualLagSeconds } from "./profile.ts";
import { until } from "./session.ts";
import { Blocked, Unverifiable } from "../judge/verdict.ts";

/**
 * A run waits no longer than this for the first rows. If a server shows none by then, or a Call has not settled, no row
 * is called missing.
 */
const maxLagSeconds = 60;

/**
 * Measures the delay of the server's audit, which the contract does not bound: the time until a Discover, an Inspect
 * and, where the profile knows a tool, a charged Call have their events and entries. In seconds, with a reserve. The
 * usual delay when the audit cannot be read, or the run's limits allow no Call; undefined when the audit shows nothing
 * or its delay cannot be known.
 */
export async function measuredLag({ session, profile, key }: Account): Promise<number | undefined> {
  const { charged } = profile.tools;
  const { waiting } = session.client;
  const maxSeconds = Math.min(maxLagSeconds, waiting.leftMs / 1_000);
  const patient = new Account(session, { ...profile, audit_lag: maxSeconds }, key, "audit lag");
  const over = waiting.begin("the audit", 0);
  try {
    const discoverMs = await delayOfDiscover(patient);
    const called = performance.now();
    const call = charged && (await patient.call({ parameters: {}, ...charged }));
    if (call !== undefined && !(await settlesInTime(patient, call))) return undefined;
    const settled = performance.now();
    // Since it waits as long again for late rows, its duration is twice the delay.
    await patient.settled();
    const longestMs = Math.max(performance.now() - settled, 2 * (settled - called), 2 * discoverMs);
    return Math.max(usualLagSeconds, longestMs / 1_000);
  } catch (error) {
    if (error instanceof Unverifiable) return undefined;
    if (error instanceof Blocked) return usualLagSeconds;
    throw error;
  } finally {
    over();
  }
}

/** How long the event of a Discover takes to appear, in milliseconds; 0 when it never does, which a check reports. */
async function delayOfDiscover(account: Account): Promise<number> {
  const discover = await account.discover({ query: "data", limit: 1 });
  const { value: searchId } = discover.at("search_id");
  if (discover.status !== 200 || typeof searchId !== "string") return 0;
  const started = performance.now();
  const read = async (): Promise<boolean> =>
    (await account.events({ page_size: 10 })).some((event) => event.at("search_id").value === searchId);
  const isShown = await until(account.lagMs, read, (shown) => shown);
  return isShown ? performance.now() - started : 0;
}

/** Waits until the audit shows how a Call ended; one that failed need not leave an event. */
async function settlesInTime(account: Account, call: Answer): Promise<boolean> {
  if (call.at("success").value !== true) return true;
  const events = await account.usageEventsOf(call.at("execution_id").string);
  return events.length > 0 && events.every(isSettled);
}
