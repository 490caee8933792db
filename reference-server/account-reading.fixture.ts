import { ledgerScopeEntryTypes } from "../generated/contract.ts";
import type { components } from "../generated/api.ts";

type UsageEvent = components["schemas"]["UsageEvent"];
type LedgerEntry = components["schemas"]["LedgerEntry"];
type UsageSummary = components["schemas"]["UsageSummary"];
type LedgerSummary = components["schemas"]["LedgerSummary"];

/** Everything that an account can read about itself, in every form of the API. */
export interface AccountReading {
  remaining: number;
  /** Newest first. */
  events: UsageEvent[];
  /** Newest first. */
  entries: LedgerEntry[];
  usageSummary: UsageSummary;
  ledgerSummary: LedgerSummary;
  creditsSpent: number;
  usageCsv: Record<string, string>[];
  ledgerCsv: Record<string, string>[];
}

/** The largest page of either list. */
const pageSize = { usage: 50_000, ledger: 500 };

/** Reads the whole account of a key through the public API. */
export async function readAccount(baseUrl: string, key: string): Promise<AccountReading> {
  const get = async (path: string): Promise<Response> => {
    const response = await fetch(baseUrl + path, { headers: { Authorization: `Bearer ${key}` } });
    if (response.status !== 200) throw new Error(`${path} was answered ${response.status}`);
    return response;
  };
  const data = async <Data>(path: string): Promise<Data> =>
    ((await (await get(path)).json()) as { data: Data }).data;
  const everything = async <Item>(path: string, size: number): Promise<Item[]> => {
    const items: Item[] = [];
    for (let page = 1; ; page += 1) {
      const found = await data<{ items: Item[]; total: number }>(`${path}?page=${page}&page_size=${size}`);
      items.push(...found.items);
      if (found.items.length < size) {
        if (items.length !== found.total) throw new Error(`${path} lists ${items.length} of ${found.total}`);
        return items;
      }
    }
  };
  const usage = "/auth/usage/history/v2";
  const ledger = "/auth/credits/ledger";
  const events = await everything<UsageEvent>(usage, pageSize.usage);
  const entries = await everything<LedgerEntry>(ledger, pageSize.ledger);
  const first = [events.at(-1)?.created_at, entries.at(-1)?.created_at].filter((each) => each !== undefined);
  const start = first.sort()[0]?.slice(0, 10) ?? "2026-01-01";
  const summarized = `?summary=true&limit=1&start_date=${start}`;
  return {
    remaining: (await data<{ remaining_credits: number }>("/auth/credits")).remaining_credits,
    events,
    entries,
    usageSummary: (await data<{ summary: UsageSummary }>(usage + summarized)).summary,
    ledgerSummary: (await data<{ summary: LedgerSummary }>(ledger + summarized)).summary,
    creditsSpent: (await data<{ total_credits: number }>("/auth/usage/credits-spent")).total_credits,
    usageCsv: readCsv(await (await get(`${usage}/export`)).text()),
    ledgerCsv: readCsv(await (await get(`${ledger}/export`)).text()),
  };
}

/** Records of an RFC 4180 file, keyed by the names in its header. */
export function readCsv(text: string): Record<string, string>[] {
  const rows: string[][] = [[]];
  for (const [, quoted, bare, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
    rows.at(-1)!.push(quoted?.replaceAll('""', '"') ?? bare ?? "");
    if (end === "\r\n") rows.push([]);
  }
  const [header = [], ...records] = rows;
  return records
    .filter((cells) => cells.length === header.length)
    .map((cells) => Object.fromEntries(header.map((name, column) => [name, cells[column]!])));
}

/** Amounts in micro-credits, so that sums are exact. */
const micro = (credits: number | null | undefined): number => Math.round((credits ?? 0) * 1e6);
const total = <Item>(items: readonly Item[], amount: (item: Item) => number): number =>
  items.reduce((sum, item) => sum + amount(item), 0);

const historyTypes = new Set<string>(ledgerScopeEntryTypes.account_history);

/**
 * The contradictions within a reading, as sentences: the chain of balances, balance and ledger, events and entries, CSV
 * and JSON, summaries and lists. Empty for an account at rest; while calls are under way, credits are held.
 */
export function contradictions(reading: AccountReading): string[] {
  return [...chain(reading), ...links(reading), ...exports(reading), ...summaries(reading)];
}

function chain({ entries, remaining }: AccountReading): string[] {
  const found: string[] = [];
  let balance = 0;
  for (const entry of entries.toReversed()) {
    const before = micro(entry.balance_before?.total_available_credits);
    const after = micro(entry.balance_after?.total_available_credits);
    if (before !== balance)
      found.push(`entry ${entry.id} starts at ${before}, the one before ended at ${balance}`);
    if (after !== before + micro(entry.amount_credits)) found.push(`entry ${entry.id} does not add up`);
    if (after < 0) found.push(`entry ${entry.id} leaves a negative balance`);
    balance = after;
  }
  if (micro(remaining) !== balance) {
    found.push(`${micro(remaining)} micro-credits remain, the ledger ends at ${balance}: something is held`);
  }
  return found;
}

function links({ events, entries }: AccountReading): string[] {
  const found: string[] = [];
  const once = (what: string, ids: (string | null | undefined)[]): void => {
    const given = ids.filter((id) => id !== null && id !== undefined);
    if (new Set(given).size !== given.length) found.push(`${what} are not all different`);
  };
  once(
    "ids of events",
    events.map(({ id }) => id),
  );
  once(
    "ids of entries",
    entries.map(({ id }) => id),
  );
  once(
    "executions of events",
    events.map(({ execution_id }) => execution_id),
  );
  once(
    "executions of entries",
    entries.map(({ execution_id }) => execution_id),
  );
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  let charged = 0;
  for (const event of events) {
    const amount = micro(event.settled_amount_credits);
    const linked = event.credits_ledger_entry_id;
    if (amount === 0) {
      if (linked) found.push(`event ${event.id} moved nothing, yet is linked to entry ${linked}`);
      continue;
    }
    charged += 1;
    const entry = byId.get(linked ?? "");
    if (entry === undefined) found.push(`event ${event.id} settled ${amount} without an entry`);
    else if (
      micro(entry.amount_credits) !== -amount ||
      (entry.execution_id ?? null) !== (event.execution_id ?? null)
    ) {
      found.push(`event ${event.id} settled ${amount}, its entry ${entry.id} says otherwise`);
    }
  }
  const consumed = entries.filter(
    ({ entry_type }) => entry_type.startsWith("consume") && entry_type !== "consume_payment_refund",
  );
  if (consumed.length !== charged)
    found.push(`${charged} charged events, ${consumed.length} entries that consume`);
  return found;
}

function exports({ events, entries, usageCsv, ledgerCsv }: AccountReading): string[] {
  const history = entries.filter(({ entry_type }) => historyTypes.has(entry_type));
  return [...sameRows("usage", events, usageCsv), ...sameRows("ledger", history, ledgerCsv)];
}

const cellOf = (value: unknown): string => {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
};

function sameRows(what: string, items: readonly object[], rows: readonly Record<string, string>[]): string[] {
  if (items.length !== rows.length)
    return [`the ${what} CSV has ${rows.length} rows, the list ${items.length}`];
  return items.flatMap((item, index) =>
    Object.entries(rows[index]!).flatMap(([column, cell]) => {
      const value = (item as Record<string, unknown>)[column];
      return value === undefined || cellOf(value) === cell
        ? []
        : [`the ${what} CSV says ${column} is ${cell}, the list says ${cellOf(value)}`];
    }),
  );
}

function summaries({ events, entries, usageSummary, ledgerSummary, creditsSpent }: AccountReading): string[] {
  const found: string[] = [];
  const same = (what: string, summary: number, list: number): void => {
    if (Math.round(summary) !== Math.round(list)) found.push(`${what}: ${summary}, but ${list} by the list`);
  };
  const settled = total(events, (event) => micro(event.settled_amount_credits));
  same("total_count", usageSummary.total_count, events.length);
  same("success_count", usageSummary.success_count, events.filter(({ success }) => success).length);
  same("failure_count", usageSummary.failure_count, events.filter(({ success }) => !success).length);
  same("settled_credits", micro(usageSummary.settled_credits), settled);
  same(
    "pre_settlement_credits",
    micro(usageSummary.pre_settlement_credits),
    total(events, (event) => micro(event.pre_settlement_amount_credits)),
  );
  for (const [outcome, count] of Object.entries(usageSummary.charge_outcome_counts)) {
    same(outcome, count, events.filter(({ charge_outcome }) => charge_outcome === outcome).length);
  }
  same(
    "events in buckets",
    total(usageSummary.buckets, ({ total_count }) => total_count),
    events.length,
  );
  same(
    "credits in buckets",
    total(usageSummary.buckets, (bucket) => micro(bucket.settled_credits)),
    settled,
  );
  same("credits spent", micro(creditsSpent), settled);

  const net = total(entries, (entry) => micro(entry.amount_credits));
  same("total_entries", ledgerSummary.total_entries, entries.length);
  same(
    "consume_count",
    ledgerSummary.consume_count,
    entries.filter((entry) => entry.amount_credits < 0).length,
  );
  same("net_amount_credits", micro(ledgerSummary.net_amount_credits), net);
  same(
    "net in buckets",
    total(ledgerSummary.buckets, (bucket) => micro(bucket.net_amount_credits)),
    net,
  );
  return found;
}
