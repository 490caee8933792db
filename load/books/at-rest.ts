import { knownLag } from "../../conformance/books/finality.ts";
import { candidatesForTotal } from "../../conformance/books/unnamed.ts";
import { Located } from "../../conformance/judge/answer.ts";
import { jsonOf } from "../../conformance/judge/exchange.ts";
import { balanceOf, type Row } from "../../conformance/judge/rows.ts";
import { isFields, memberOf } from "../../conformance/judge/seen.ts";
import { Unverifiable } from "../../conformance/judge/verdict.ts";
import { pause } from "../../conformance/server/session.ts";
import type { Clock } from "../engine/clock.ts";
import { plan, type Planned, type Sender } from "../planned.ts";
import type { Reply } from "../recorder.ts";
import type { LoadRun } from "../run.ts";

/** The page size and the most pages with which a whole list is read. */
export const wholePage = 500;
const maxPages = 40;
/** Two readings this many ms apart are equal, and hold no credits, or have held them for this long. */
const restMs = 300;
const maxHoldMs = 30_000;

/** A window that holds everything, so that sums and lists are about the same rows. */
export const everything = "start_date=2000-01-01&end_date=2099-12-31";
export const summed = `&summary=true&${everything}`;

/**
 * How late the books may be, in seconds.
 * @throws Unverifiable where it is not known, or longer than `--wait` lets the run wait for it: no read would be final
 */
export function awaitedLag({ profile, session }: Pick<LoadRun, "profile" | "session">): number {
  const seconds = knownLag(profile);
  const { leftMs, usedUp } = session.client.waiting;
  if (1_000 * seconds > leftMs)
    throw new Unverifiable(`the books may be ${seconds} s late (audit_lag): ${usedUp.message}`);
  return seconds;
}

type Send = (planned: Planned) => Promise<Reply>;

/** The books of an account as they were read. */
export interface Whole {
  /** Both lists, newest first. */
  entries: Row[];
  events: Row[];
  /** Whether these are all rows that there are. */
  isComplete: boolean;
  usageSummary: Located;
  ledgerSummary: Located;
  /** All that was read, as text. */
  said: string;
  /** Whether there is less left than the newest entry says. */
  isHeld: boolean;
}

/** Reads the whole of both lists, with their summaries, and the credits. */
export async function readAll(sender: Sender, send: Send): Promise<Whole> {
  const said: unknown[] = [];
  let isComplete = true;
  const read = async (operation: "listLedger" | "listUsage"): Promise<{ rows: Row[]; summary: Located }> => {
    const rows: Row[] = [];
    for (let page = 1; ; page += 1) {
      // Only the details may show amounts and links.
      const query = `?page_size=${wholePage}&page=${page}&include_details=true${summed}`;
      const { exchange } = await send(plan(operation, sender, { query }));
      const data = new Located(memberOf(jsonOf(exchange), "data"), "data", exchange);
      const [items, summary] = [data.at("items").value, data.at("summary")];
      said.push(data.at("total").value, summary.value);
      if (Array.isArray(items)) rows.push(...items.filter(isFields));
      const isLast = Array.isArray(items) && items.length < wholePage;
      if (!isLast && Array.isArray(items) && page < maxPages) continue;
      isComplete &&= isLast;
      return { rows, summary };
    }
  };
  const { rows: entries, summary: ledgerSummary } = await read("listLedger");
  const { rows: events, summary: usageSummary } = await read("listUsage");
  const { exchange } = await send(plan("getCredits", sender));
  const credits = memberOf(jsonOf(exchange), "data");
  const left = entries[0] === undefined ? undefined : balanceOf(entries[0], "after");
  const totals = [...candidatesForTotal(new Located(credits, "data", exchange)).values()];
  const isHeld = left !== undefined && totals.length > 0 && totals.every((total) => total < left);
  const text = JSON.stringify([...said, totals]);
  return { entries, events, isComplete, usageSummary, ledgerSummary, said: text, isHeld };
}

/**
 * Reads everything until nothing moves. Credits of a Call may be held after its server died, until another one frees
 * them.
 * @returns what was read last, and when that reading began, in epoch milliseconds
 */
export async function readAtRest(
  sender: Sender,
  send: Send,
  clock: Clock,
): Promise<{ whole: Whole; restFrom: number }> {
  const until = clock.now() + maxHoldMs;
  for (let before = ""; ; await pause(restMs)) {
    const restFrom = clock.now();
    const whole = await readAll(sender, send);
    if ((whole.said === before && !whole.isHeld) || restFrom > until) return { whole, restFrom };
    before = whole.said;
  }
}

/** Reads the balance where the contract names it: in an Inspect, which is free. */
export const readBalance = (sender: Sender, toolId: string, send: Send): Promise<Reply> =>
  send(plan("inspect", sender, { body: { tool_ids: [toolId] } }));

/** Reads the balance last, since an Inspect leaves an event, and then the entries that it may count already. */
export async function readLastBalance(
  sender: Sender,
  toolId: string,
  send: Send,
  lagSeconds: number,
): Promise<void> {
  await readBalance(sender, toolId, send);
  await pause(1000 * lagSeconds + 1);
  await send(plan("listLedger", sender, { query: `?page_size=${wholePage}` }));
}
