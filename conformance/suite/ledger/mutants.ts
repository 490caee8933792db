import { asking, asOwnerOf, isOlder, itemsOf, onData } from "../../changes/audit-query.ts";
import { mutantsOf, onBody, onPath, onStatus, type Body, type Change } from "../../changes/mutant.ts";
import { onEntries } from "./variations.ts";

const id = "listLedger";

const withFields = (entry: Body, change: (entry: Body) => Body): Body => ({ ...entry, ...change(entry) });

/** Changes the rows of the list's answer as a whole. */
export const onList = (change: (entries: Body[], query: URLSearchParams) => Body[]): Change =>
  onPath(id, "data.items", (value, request) => change(value as Body[], request.query));

/** Changes only the read by id. */
const onOne = (change: (entry: Body) => Body): Change =>
  onPath("getLedgerEntry", "data", (value) => withFields(value as Body, change));

export const amountOf = (entry: Body): number => Number(entry["amount_credits"]);
const isCall = (entry: Body): boolean => entry["entry_type"] === "consume_tool_execute";
const balance = (entry: Body, side: "before" | "after"): number =>
  Number((entry[`balance_${side}`] as Body)["total_available_credits"]);
const total = (credits: number): Body => ({ total_available_credits: credits });

/** A distinct number for each entry, derived from its id. */
const drift = (entry: Body): number => 1 + parseInt(String(entry["id"]).slice(0, 2), 16);

/** Calls within this many milliseconds count as simultaneous. */
const moment = 200;

/** Gives Calls that settle at nearly the same time the highest starting balance among them. */
const stale: Change = onList((entries) => {
  const at = (entry: Body): number => Date.parse(String(entry["created_at"]));
  const calls = entries.filter(isCall);
  return entries.map((entry) => {
    if (!isCall(entry)) return entry;
    const together = calls.filter((call) => Math.abs(at(call) - at(entry)) < moment);
    const found = Math.max(...together.map((call) => balance(call, "before")));
    return { ...entry, balance_before: total(found), balance_after: total(found + amountOf(entry)) };
  });
});

/** Adds an entry for each answered Discover, although nothing was charged. */
function bookingSearches(): Change {
  const searches = new Map<string | undefined, number>();
  return onBody(["discover", id], (body, { operation, headers: { authorization: who } }) => {
    const count = searches.get(who) ?? 0;
    if (operation === "discover") {
      searches.set(who, count + 1);
      return body;
    }
    const data = body["data"] as Body;
    const booked = Array.from({ length: count }, (_, index) => ({
      ...itemsOf(data)[0],
      id: `search-${index}`,
      entry_type: "consume_tool_search",
    }));
    return { ...body, data: { ...data, items: [...booked, ...itemsOf(data)] } };
  });
}

/** Changes the entries of capability queries. */
function onQueried(change: (entry: Body) => Body): Change {
  const queried = new Set<unknown>();
  return onBody(["queryCapability", id], (body, { operation }) => {
    if (operation === "queryCapability") queried.add(body["execution_id"]);
    else
      for (const item of itemsOf(body["data"] as Body))
        if (queried.has(item["execution_id"])) Object.assign(item, change(item));
    return body;
  });
}

const isChargedFailure = (entry: Body): boolean =>
  JSON.stringify(entry["settlement_result"]).includes("failed_charged_review");

/** Removes the execution from the entries of failed Calls that were charged. */
const forgettingFailures: Change = onEntries((entry) =>
  isChargedFailure(entry) ? { execution_id: null } : {},
);

const entries = [
  ...mutantsOf({
    "LEDG-03": {
      "shows the time of the read as created_at": onList((list) =>
        list.map((entry) => ({ ...entry, created_at: new Date().toISOString() })),
      ),
    },
    "LEDG-05": {
      "shows the consumption of a Call as a positive amount": onEntries((entry) =>
        isCall(entry) ? { amount_credits: -amountOf(entry) } : {},
      ),
    },
    "LEDG-06": {
      "shows a recharge as a negative amount": onEntries((entry) =>
        entry["entry_type"] === "grant_payment_recharge" ? { amount_credits: -amountOf(entry) } : {},
      ),
    },
    "LEDG-08": { "adds ledger entries for searches that cost nothing": bookingSearches() },
    "LEDG-10": {
      "shows the usage event's id as execution_id": onEntries((entry) =>
        isCall(entry) ? { execution_id: entry["source_ref_id"] } : {},
      ),
      "shows a wrong execution_id for a failed Call that was charged": onEntries((entry) =>
        isChargedFailure(entry) ? { execution_id: `${String(entry["execution_id"])}x` } : {},
      ),
    },
    "LEDG-11": {
      "shows no execution_id for a capability query": onQueried(() => ({ execution_id: null })),
      "shows no execution_id for the charge of a failed Call": forgettingFailures,
    },
    "LEDG-13": {
      "shows a settled amount above the ledger entry's amount": onEntries((entry) =>
        isCall(entry)
          ? { settlement_result: { settled_amount_credits: Math.abs(amountOf(entry)) + 0.01 } }
          : {},
      ),
      "shows the settled amount with the sign of the ledger entry's amount": onEntries((entry) =>
        isCall(entry) ? { settlement_result: { settled_amount_credits: amountOf(entry) } } : {},
      ),
    },
    "LEDG-14": {
      "shows balance_before as balance_after": onEntries((entry) => ({
        balance_after: entry["balance_before"],
      })),
      "deducts a charge twice in balance_after": onEntries((entry) =>
        isCall(entry) ? { balance_after: total(balance(entry, "after") + amountOf(entry)) } : {},
      ),
    },
    "LEDG-15": {
      "leaves gaps between the balances of consecutive entries": onEntries((entry) => ({
        balance_before: total(balance(entry, "before") + drift(entry)),
        balance_after: total(balance(entry, "after") + drift(entry)),
      })),
      "shows simultaneous Calls starting from the same balance": stale,
      "shows balances one credit too high": onEntries((entry) => ({
        balance_before: total(balance(entry, "before") + 1),
        balance_after: total(balance(entry, "after") + 1),
      })),
    },
    "LEDG-48": {
      "begins the entry of a Call at the balance before the last movement": onEntries((entry) =>
        isCall(entry) ? { balance_before: total(balance(entry, "before") - amountOf(entry)) } : {},
      ),
      "begins the entry of a capability query at the balance before the last movement": onQueried(
        (entry) => ({
          balance_before: total(balance(entry, "before") - amountOf(entry)),
        }),
      ),
    },
    "LEDG-17": {
      "understates an entry read by its id": onOne((entry) => ({ amount_credits: amountOf(entry) * 0.9 })),
    },
    "LEDG-18": {
      "does not find an entry by its id after a day": onStatus("getLedgerEntry", 200, 404, (_, { body }) =>
        isOlder((JSON.parse(body) as Body)["data"] as Body, 86_400_000),
      ),
    },
    "LEDG-20": {
      "lets any account read a ledger entry": asOwnerOf("getLedgerEntry", "id", "entry_id", "ledger_entries"),
      "lets any account read the ledger entry of a Call": asOwnerOf(
        "getLedgerEntry",
        "id",
        "entry_id",
        "ledger_entries",
        {
          entry_type: "consume_tool_execute",
        },
      ),
    },
  }),
];

const pages = [
  ...mutantsOf({
    "LEDG-25": {
      "returns a summary whether requested or not": asking(id, (query) => ({ ...query, summary: true })),
    },
    "LEDG-26": {
      "lists entries of other accounts after the caller's own": onData(
        id,
        async (data, { query, ask, others }) => {
          for (const other of await others())
            itemsOf(data).push(...itemsOf(await ask(query, other)).slice(0, 1));
        },
      ),
    },
  }),
];

export const mutants = [...entries, ...pages];
