import { Unmet, Unverifiable } from "../judge/verdict.ts";
import type { Answer } from "../judge/answer.ts";
import type { Row } from "../judge/rows.ts";
import { Account, usable, type Query } from "../server/account.ts";
import { Allowance } from "../server/allowance.ts";
import { Client, type Outgoing } from "../server/client.ts";
import { pagesOf } from "../server/cursor.ts";
import { pagesOfList, wholePage } from "../server/lists.ts";
import type { List } from "../books/listed.ts";
import { whyOff, type Profile } from "../server/profile.ts";
import { Secrets } from "../server/secrets.ts";
import { Session } from "../server/session.ts";
import { Waiting } from "../server/waiting.ts";
import { memberOf } from "../judge/seen.ts";
import { readFile } from "node:fs/promises";
import { queryOf, type Slice } from "./slices.ts";

/** How a server is read. */
export interface ReadingOptions {
  waitSeconds: number;
  /** Requests per second. */
  rate?: number | undefined;
  signal?: AbortSignal | undefined;
  onWait?: (what: string) => void;
}

/** A session that only reads, and keeps nothing of what it has read. */
class ReadOnly extends Session {
  override send(outgoing: Outgoing): Promise<Answer> {
    if (outgoing.method !== "GET") throw new TypeError(`${outgoing.method} ${outgoing.path} is not a read`);
    return this.client.send(outgoing);
  }
}

/** The account of a profile, for reading only. */
export async function accountOf(
  profile: Profile,
  key: string,
  { waitSeconds, rate, signal, onWait }: ReadingOptions,
): Promise<Account> {
  const secrets = new Secrets();
  secrets.learnFromProfile(profile);
  secrets.learn(key, "key");
  const ca = profile.tls?.ca === undefined ? undefined : await readFile(profile.tls.ca, "utf8");
  const waiting = new Waiting(waitSeconds, onWait, { signal });
  const allowance = new Allowance({ rate, readOnly: true, ...(signal && { signal }) });
  const client = new Client(profile.base_url, secrets, waiting, allowance, {
    ca,
    forgets: true,
    off: (operation) => whyOff(profile, operation),
  });
  return new Account(new ReadOnly(client, secrets), profile, key, "account");
}

/** The lists of a slice, oldest row first, with the fields that the audit looks at. */
export interface Read {
  slice: Slice;
  events: Row[];
  entries: Row[];
  /** Its other reads; null if there were none. */
  others: Awaited<ReturnType<typeof readOthers>> | null;
}

const eventFields = [
  "id",
  "event_type",
  "execution_id",
  "search_id",
  "session_id",
  "tool_id",
  "success",
  "charge_outcome",
  "reason_code",
  "settled_amount_credits",
  "actual_amount_credits",
  "requested_amount_credits",
  "pre_settlement_amount_credits",
  "credits_ledger_entry_id",
  "created_at",
];

const entryFields = [
  "id",
  "entry_type",
  "execution_id",
  "amount_credits",
  "balance_before",
  "balance_after",
  "created_at",
];

function lean(value: unknown, names: readonly string[]): Row {
  const row: Row = {};
  for (const name of names) {
    const member = memberOf(value, name);
    if (member !== undefined && member !== null) row[name] = member;
  }
  return row;
}

/**
 * Whether events show what the audit looks at only with their details, which cost both sides a fifth of their time;
 * true also for a server that always shows the payloads.
 */
export async function needsDetails(account: Account): Promise<boolean> {
  const shown = async (details: boolean, names: readonly string[]): Promise<string> => {
    const query = { page_size: wholePage, ...detailed(details) };
    const { items } = usable(await account.usage(query)).at("data.items");
    return items.map(({ value }) => names.filter((name) => memberOf(value, name) !== undefined)).join("\n");
  };
  const payloads = ["request_payload", "response_payload_summary"];
  return (await shown(true, eventFields)) !== (await shown(false, [...eventFields, ...payloads]));
}

const detailed = (details: boolean): Query => ({ include_details: details || undefined });

/** The rows of a list in a slice, oldest first. */
async function rowsOf(account: Account, list: List, slice: Slice, details: boolean): Promise<Row[]> {
  if (slice[list === "listUsage" ? "events" : "entries"] === 0) return [];
  const names = list === "listUsage" ? eventFields : entryFields;
  const query = { ...queryOf(slice), ...(list === "listUsage" && detailed(details)) };
  const rows: Row[] = [];
  for await (const page of pagesOfList(account, list, query))
    for (const { value } of page) rows.push(lean(value, names));
  return rows.reverse();
}

/** Reads both lists of a slice, and its other reads where they are wanted. */
export async function readSlice(
  account: Account,
  slice: Slice,
  { details, others }: { details: boolean; others: boolean },
): Promise<Read> {
  const [events, entries, rest] = await Promise.all([
    rowsOf(account, "listUsage", slice, details),
    rowsOf(account, "listLedger", slice, details),
    others ? readOthers(account, slice) : null,
  ]);
  return { slice, events, entries, others: rest };
}

/** Exports, feed and settlement history, one after another: together they would take most of the memory. */
const readOthers = async (account: Account, slice: Slice) => ({
  usageExport: await readExport(account, "exportUsage", slice),
  ledgerExport: await readExport(account, "exportLedger", slice),
  feed: await readFeed(account, "listUsageFeed", slice),
  settlements: await readFeed(account, "listSettlements", slice),
});

/** What another read of a slice gave, or why it gave nothing. */
export type Other<T> = { got: T } | { fault: Unmet } | { why: string };

/** The text of a CSV export of a slice. */
const readExport = (
  account: Account,
  operation: "exportUsage" | "exportLedger",
  slice: Slice,
): Promise<Other<string>> =>
  tried(async () => {
    const scope = operation === "exportLedger" ? { scope: "account_history" } : {};
    const answer = await account.ask(operation, { query: { ...queryOf(slice), ...scope } });
    if (answer.status !== 200) throw new Unverifiable(`it answers ${answer.status}`);
    return answer.text;
  });

/** The items of a feed of a slice. */
const readFeed = (
  account: Account,
  feed: "listUsageFeed" | "listSettlements",
  slice: Slice,
): Promise<Other<unknown[]>> =>
  tried(async () => {
    const pages = await pagesOf(account, feed, { ...queryOf(slice), page_size: 500 });
    return pages.flatMap(({ items }) => items.map(({ value }) => value));
  });

async function tried<T>(read: () => Promise<T>): Promise<Other<T>> {
  try {
    return { got: await read() };
  } catch (error) {
    if (error instanceof Unmet) return { fault: error };
    if (error instanceof Error && !(error instanceof TypeError)) return { why: error.message };
    throw error;
  }
}
