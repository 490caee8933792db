import { randomBytes } from "node:crypto";
import { longestLagSeconds, usualLagSeconds, type AuditLag } from "../books/finality.ts";
import type { Located } from "../judge/answer.ts";
import { Blocked, Unverifiable } from "../judge/verdict.ts";
import { isEntryOf, isOfCall, isSettled, settles, usable, type Account } from "./account.ts";
import { pause } from "./session.ts";

/** A row is there once so many reads in a row have shown it: another process may be behind the one that has it. */
const steadyReads = 8;
const steadyPauseMs = 20;
const maxPauseMs = 500;

/**
 * Measures how late the server's books are, which the contract does not bound: the time until a Discover, an Inspect
 * and, where the profile knows a tool, a charged Call have their events and entries, and until the summary counts them.
 * What does not appear within a minute although other rows do, be it the ledger's alone, is taken never to appear. The
 * usual lag when the audit cannot be read, or the run's limits allow no Call; undefined when the books show nothing, or
 * the run may not wait so long.
 */
export async function measuredLag(account: Account): Promise<AuditLag | undefined> {
  const { waiting } = account.session.client;
  const withinMs = Math.min(1_000 * longestLagSeconds, waiting.leftMs);
  const over = waiting.begin("the audit", 0);
  try {
    const { delays, executionId } = await rowDelays(account, withinMs);
    const seen = delays.filter((delay) => delay !== undefined);
    const isKnown = seen.length === delays.length || withinMs === 1_000 * longestLagSeconds;
    if (!isKnown) return undefined;
    if (seen.length === 0) {
      const isCharged = executionId !== undefined && (await hasEntry(account, executionId));
      return isCharged ? { seconds: usualLagSeconds } : undefined;
    }
    const rows = Math.max(...seen) / 1_000;
    const sums = ((await delayUntil(withinMs, () => isSummedUp(account))) ?? 0) / 1_000;
    // As much time again in reserve.
    const seconds = Math.max(usualLagSeconds, 2 * rows, 2 * (rows + sums));
    return { seconds, measured: { rows, sums: rows + sums } };
  } catch (error) {
    if (error instanceof Unverifiable) return undefined;
    if (error instanceof Blocked) return { seconds: usualLagSeconds };
    throw error;
  } finally {
    over();
  }
}

/** After how many milliseconds the rows of some requests are there; undefined for those that never are. */
interface Delays {
  delays: (number | undefined)[];
  /** Of the Call among the requests, if it succeeded. */
  executionId: string | undefined;
}

async function rowDelays(account: Account, withinMs: number): Promise<Delays> {
  const { charged } = account.profile.tools;
  const session = `marker-${randomBytes(8).toString("hex")}`;
  const discovered = await account.discover({ query: "data", limit: 1 });
  const inspected = await account.inspect({ tool_ids: [account.knownTool], session_id: session });
  const called = charged && (await account.call({ parameters: {}, ...charged }));
  const executionId = called?.at("success").value === true ? called.at("execution_id").string : undefined;
  const { value: searchId } = discovered.at("search_id");
  const shown = [
    // Nothing else tells which event is that of a Discover.
    ...(typeof searchId === "string"
      ? [hasEvent(account, (event) => event.at("search_id").value === searchId)]
      : []),
    hasEvent(
      account,
      (event) =>
        isText(inspected.at("search_id").value, event.at("search_id").value) ||
        event.at("session_id").value === session,
    ),
    // One that failed need not leave an event.
    ...(executionId === undefined ? [] : [() => isBooked(account, executionId)]),
  ];
  const delays = await Promise.all(shown.map((isShown) => delayUntil(withinMs, isShown)));
  return { delays, executionId };
}

const isText = (one: unknown, other: unknown): boolean => typeof one === "string" && one === other;

const hasEvent =
  (account: Account, isWanted: (event: Located) => boolean): (() => Promise<boolean>) =>
  async () =>
    (await account.events({ page_size: 10 })).some(isWanted);

/** Whether the ledger, where it can be read, names an execution. */
async function hasEntry(account: Account, executionId: string): Promise<boolean> {
  try {
    const entries = await account.entries({ page_size: 10 });
    return entries.some((entry) => entry.at("execution_id").value === executionId);
  } catch (error) {
    if (error instanceof Blocked) return false;
    throw error;
  }
}

/** Whether the books show how an execution ended, with the entry of a charge. */
async function isBooked(account: Account, executionId: string): Promise<boolean> {
  const query = { execution_id: executionId, include_details: true };
  const events = (await account.events(query)).filter(isOfCall);
  if (events.length === 0 || !events.every(isSettled)) return false;
  const [event] = events;
  return !settles(event!) || (await account.entries({ page_size: 10 })).some(isEntryOf(executionId, event!));
}

/** Whether the summary counts as many events as the list; true where either gives no number. */
async function isSummedUp(account: Account): Promise<boolean> {
  const { value: total } = usable(await account.usage({ page_size: 1 })).at("data.total");
  const window = { start_date: "2000-01-01", end_date: "2099-12-31" };
  const answer = await account.usage({ ...window, summary: true, page_size: 1 });
  const { value: count } = answer.at("data.summary.total_count");
  return typeof count !== "number" || typeof total !== "number" || count >= total;
}

/** Milliseconds until something is shown, by each of several reads; undefined if it is not shown within a time. */
async function delayUntil(withinMs: number, isShown: () => Promise<boolean>): Promise<number | undefined> {
  const begin = performance.now();
  let shown = 0;
  let delay = 0;
  for (let wait = 10; ; wait = Math.min(2 * wait, maxPauseMs)) {
    if (await isShown()) shown += 1;
    else {
      shown = 0;
      delay = performance.now() - begin;
    }
    if (shown === steadyReads) return delay;
    if (performance.now() - begin + wait > withinMs) return undefined;
    await pause(shown > 0 ? steadyPauseMs : wait);
  }
}
