import { credits } from "../../../reference-server/billing/money.ts";
import {
  accepting,
  accountOf,
  asking,
  asOwnerOf,
  countingWithout,
  emptyList,
  ignoring,
  isOlder,
  itemsOf,
  onAny,
  onData,
  refusing,
  taking,
} from "../../changes/audit-query.ts";
import { repeatingLast } from "../usage/row-changes.ts";
import {
  mutant,
  mutantsOf,
  onAnswers,
  onBody,
  onPath,
  onStatus,
  withBody,
  withSuccess,
  type Body,
  type Change,
} from "../../changes/mutant.ts";
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
const page = (query: Body): number => Number(query["page"] ?? 1);

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
    const together = calls.filter((one) => Math.abs(at(one) - at(entry)) < moment);
    const found = Math.max(...together.map((one) => balance(one, "before")));
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

/** Removes the execution from the entries of capability queries. */
export function forgettingQueries(): Change {
  const queried = new Set<unknown>();
  return onBody(["queryCapability", id], (body, { operation }) => {
    if (operation === "queryCapability") queried.add(body["execution_id"]);
    else
      for (const item of itemsOf(body["data"] as Body))
        if (queried.has(item["execution_id"])) item["execution_id"] = null;
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
    "LEDG-01": {
      "shows the first entry of a page twice": onList((list) => [...list.slice(0, 1), ...list]),
      "answers an empty id": onEntries(() => ({ id: "" })),
    },
    "LEDG-02": {
      "names a Call's entry by a type of its own": onEntries((entry) =>
        isCall(entry) ? { entry_type: "consume_call" } : {},
      ),
    },
    "LEDG-03": {
      "shows the time of reading as created_at": onList((list) =>
        list.map((entry) => ({ ...entry, created_at: new Date().toISOString() })),
      ),
      "forgets the references of all entries but the newest": onList((list) =>
        list.map((entry, index) => (index === 0 ? entry : { ...entry, source_ref_id: "archived" })),
      ),
    },
    "LEDG-04": {
      "shows consumptions without their amount": onEntries((entry) =>
        isCall(entry) ? { amount_credits: null } : {},
      ),
    },
    "LEDG-05": {
      "shows what a Call consumed as a positive amount": onEntries((entry) =>
        isCall(entry) ? { amount_credits: -amountOf(entry) } : {},
      ),
    },
    "LEDG-06": {
      "shows a recharge as a negative amount": onEntries((entry) =>
        entry["entry_type"] === "grant_payment_recharge" ? { amount_credits: -amountOf(entry) } : {},
      ),
    },
    "LEDG-07": {
      "books a Call as model usage": onEntries((entry) =>
        isCall(entry) ? { entry_type: "consume_model_call" } : {},
      ),
    },
    "LEDG-08": { "books searches that cost nothing": bookingSearches() },
    "LEDG-10": {
      "puts the usage event's id in the place of the execution's": onEntries((entry) =>
        isCall(entry) ? { execution_id: entry["source_ref_id"] } : {},
      ),
      "names another execution of a failed Call that was charged": onEntries((entry) =>
        isChargedFailure(entry) ? { execution_id: `${String(entry["execution_id"])}x` } : {},
      ),
    },
    "LEDG-11": {
      "shows no execution_id for a capability query": forgettingQueries(),
      "shows no execution_id for what a failed Call was charged": forgettingFailures,
    },
    "LEDG-13": {
      "shows a settlement above the entry's amount": onEntries((entry) =>
        isCall(entry)
          ? { settlement_result: { settled_amount_credits: Math.abs(amountOf(entry)) + 0.01 } }
          : {},
      ),
      "shows the settlement with the sign of the amount": onEntries((entry) =>
        isCall(entry) ? { settlement_result: { settled_amount_credits: amountOf(entry) } } : {},
      ),
    },
    "LEDG-14": {
      "shows the balance before as the one after": onEntries((entry) => ({
        balance_after: entry["balance_before"],
      })),
      "takes a consumption from the balance twice": onEntries((entry) =>
        isCall(entry) ? { balance_after: total(balance(entry, "after") + amountOf(entry)) } : {},
      ),
    },
    "LEDG-15": {
      "has a gap between the balances of two entries": onEntries((entry) => ({
        balance_before: total(balance(entry, "before") + drift(entry)),
        balance_after: total(balance(entry, "after") + drift(entry)),
      })),
      "shows Calls at the same time the balance that each of them found": stale,
      "shows balances a credit above what is left": onEntries((entry) => ({
        balance_before: total(balance(entry, "before") + 1),
        balance_after: total(balance(entry, "after") + 1),
      })),
    },
    "LEDG-17": {
      "shows the linked entry a tenth short": onOne((entry) => ({ amount_credits: amountOf(entry) * 0.9 })),
    },
    "LEDG-18": {
      "reads an entry with another time than the list's": onOne(() => ({
        created_at: "2026-01-01T00:00:00Z",
      })),
      "reads an entry with the balances of today": onData(
        "getLedgerEntry",
        async (entry, { accountId, context }) => {
          const today = credits((await context.books.balance(accountId)).available);
          Object.assign(entry, {
            balance_before: total(today - amountOf(entry)),
            balance_after: total(today),
          });
        },
      ),
      "does not find a grant by its id": onStatus("getLedgerEntry", 200, 404, (_, { body }) =>
        body.includes('"grant_'),
      ),
      "does not find entries by their id": refusing("getLedgerEntry", () => true, 404),
      "does not find an entry by its id after a day": onStatus("getLedgerEntry", 200, 404, (_, { body }) =>
        isOlder((JSON.parse(body) as Body)["data"] as Body, 86_400_000),
      ),
    },
    "LEDG-19": {
      "answers an unknown id with the newest entry": onAny(
        "getLedgerEntry",
        (operation) => async (request, context) => {
          try {
            return await operation(request, context);
          } catch {
            const newest: { id: string } = await context
              .database("ledger_entries")
              .where("account_id", accountOf(request))
              .orderBy("seq", "desc")
              .first("id");
            return operation({ ...request, params: { entry_id: newest.id } }, context);
          }
        },
      ),
    },
    "LEDG-47": {
      "refuses an entry_id that is no UUID as invalid": onAnswers(
        ({ operation, path }) => operation === "getLedgerEntry" && !/[0-9a-f]{8}-/.test(path),
        withBody(422, { detail: [] }),
      ),
    },
    "LEDG-20": {
      "reads the entry of whatever account": asOwnerOf("getLedgerEntry", "id", "entry_id", "ledger_entries"),
      "reads what whatever account consumed": asOwnerOf(
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
  ...[
    "source_system",
    "source_ref_type",
    "source_ref_id",
    "settlement_result",
    "description",
    "execution_id",
    "balance_before",
    "balance_after",
  ].map((name) =>
    mutant(
      "LEDG-11",
      `shows no ${name}`,
      onEntries(() => ({ [name]: null })),
    ),
  ),
];

const pages = [
  ...mutantsOf({
    "LEDG-21": { "answers every page as the first": onPath(id, "data.page", () => 1) },
    "LEDG-22": {
      "lists the oldest entry first": onList((list) => list.toReversed()),
      "lists the two newest entries the wrong way round": onList(([first, second, ...rest]) =>
        [second, first, ...rest].filter((entry) => entry !== undefined),
      ),
    },
    "LEDG-23": {
      "counts the entries of the page as total": onPath(id, "data", (data) => ({
        ...(data as Body),
        total: ((data as Body)["items"] as Body[]).length,
      })),
      "counts the whole ledger whatever the filter": onData(id, async (data, { query, ask }) => {
        data["total"] = (await ask("direction" in query ? { page: 1, page_size: 1 } : query))["total"];
      }),
      "counts the entries of all time whatever the start": countingWithout(id, "start_date"),
      "counts the entries of all time whatever the end": countingWithout(id, "end_date"),
    },
    "LEDG-24": {
      "puts an entry more on a page than it says": onData(id, async (data, { query, ask }) => {
        data["items"] = (await ask({ ...query, page_size: Number(query["page_size"] ?? 50) + 1 }))["items"];
      }),
    },
    "LEDG-25": {
      "sums up whether asked or not": asking(id, (query) => ({ ...query, summary: true })),
      "never sums up": ignoring(id, "summary"),
      "sums up on the first page alone": asking(id, (query) =>
        page(query) > 1 ? { ...query, summary: false } : query,
      ),
    },
    "LEDG-26": {
      "lists the entries of another account after its own": onData(
        id,
        async (data, { query, ask, others }) => {
          for (const other of await others())
            itemsOf(data).push(...itemsOf(await ask(query, other)).slice(0, 1));
        },
      ),
    },
    "LEDG-41": {
      "begins a page with the last entry of the one before": onData(id, async (data, { query, ask }) => {
        if (page(query) < 2) return;
        const before = await ask({ ...query, page: page(query) - 1 });
        const items = [...itemsOf(before).slice(-1), ...itemsOf(data)];
        data["items"] = items.slice(0, Number(query["page_size"] ?? 50));
      }),
      "answers every page with the first": ignoring(id, "page"),
      "answers a page beyond the last with the last page": repeatingLast(id),
    },
    "LEDG-40": { "refuses a limit of 50": refusing(id, (query) => query.get("limit") === "50", 422) },
    "LEDG-42": {
      "puts 20 entries on a page that asks for no size": taking(id, "page_size", (size) =>
        size === 50 ? 20 : size,
      ),
    },
    "LEDG-43": {
      "puts at most 100 entries on a page": taking(id, "page_size", (size) => Math.min(100, Number(size))),
      "refuses a page_size of 500": refusing(id, (query) => query.get("page_size") === "500", 422),
    },
    "LEDG-44": {
      "accepts a page_size of 501": onStatus(
        id,
        422,
        withSuccess({ ...emptyList, page_size: 500 }),
        ({ query }) => query.get("page_size") === "501",
      ),
      "accepts any page_size": accepting(id, "page_size", emptyList),
    },
  }),
  ...["page", "limit", "summary"].map((name) =>
    mutant("LEDG-40", `accepts any ${name}`, accepting(id, name, emptyList)),
  ),
];

export const mutants = [...entries, ...pages];
