import { credits } from "../../../reference-server/billing/money.ts";
import {
  accepting,
  asAccount,
  asking,
  emptyList,
  ignoring,
  onAny,
  otherAccounts,
  refusing,
  taking,
} from "../../proof/audit-query.ts";
import { repeatingLast } from "../usage/row-changes.ts";
import {
  mutant,
  mutantsOf,
  onAnswers,
  onPath,
  withBody,
  withStatus,
  type Body,
  type Change,
  type Mutant,
} from "../../proof/mutant.ts";

const id = "listLedger";

const withFields = (entry: Body, change: (entry: Body) => Body): Body => ({ ...entry, ...change(entry) });

/** Changes every entry in both the list and the read by id. */
const onEntries = (change: (entry: Body) => Body): Change => ({
  wire: (request, answer) => {
    if (answer.status !== 200 || !["listLedger", "getLedgerEntry"].includes(request.operation ?? ""))
      return answer;
    const body = JSON.parse(answer.body) as Body;
    const data = body["data"] as Body;
    const changed =
      request.operation === "getLedgerEntry"
        ? withFields(data, change)
        : { ...data, items: (data["items"] as Body[]).map((entry) => withFields(entry, change)) };
    return { ...answer, body: JSON.stringify({ ...body, data: changed }) };
  },
});

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
  const searches = new Map<string, number>();
  return onAnswers(
    (request, answer) => answer.status === 200 && ["discover", id].includes(request.operation ?? ""),
    (answer, request) => {
      const who = String(request.headers.authorization);
      const count = searches.get(who) ?? 0;
      if (request.operation === "discover") {
        searches.set(who, count + 1);
        return answer;
      }
      const body = JSON.parse(answer.body) as { data: { items: Body[] } };
      const booked = Array.from({ length: count }, (_, index) => ({
        ...body.data.items[0],
        id: `search-${index}`,
        entry_type: "consume_tool_search",
      }));
      body.data.items = [...booked, ...body.data.items];
      return { ...answer, body: JSON.stringify(body) };
    },
  );
}

/** Removes the execution from the entries of capability queries. */
function forgettingQueries(): Change {
  const queried = new Set<unknown>();
  return onAnswers(
    ({ operation }, { status }) => status === 200 && ["queryCapability", id].includes(operation ?? ""),
    (answer, { operation }) => {
      const body = JSON.parse(answer.body) as Body;
      if (operation === "queryCapability") {
        queried.add(body["execution_id"]);
        return answer;
      }
      const data = body["data"] as { items: Body[] };
      for (const item of data.items) if (queried.has(item["execution_id"])) item["execution_id"] = null;
      return { ...answer, body: JSON.stringify(body) };
    },
  );
}

/** Removes the execution from the entries of failed Calls that were charged. */
const forgettingFailures: Change = onEntries((entry) =>
  JSON.stringify(entry["settlement_result"]).includes("failed_charged_review") ? { execution_id: null } : {},
);

const entries: Mutant[] = [
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
      "reads an entry with the balances of today": onAny(
        "getLedgerEntry",
        (operation) => async (request, context) => {
          const answer = await operation(request, context);
          if (answer.status !== 200) return answer;
          const own = (request.caller as { account: { id: string } }).account.id;
          const entry = (answer as { body: Body }).body["data"] as Body;
          const today = credits((await context.books.balance(own)).available);
          entry["balance_before"] = total(today - amountOf(entry));
          entry["balance_after"] = total(today);
          return answer;
        },
      ),
      "does not find a grant by its id": onAnswers(
        ({ operation }, { body }) => operation === "getLedgerEntry" && body.includes('"grant_'),
        withStatus(404),
      ),
      "does not find entries by their id": refusing("getLedgerEntry", () => true, 404),
    },
    "LEDG-19": {
      "answers an unknown id with the newest entry": onAny(
        "getLedgerEntry",
        (operation) => async (request, context) => {
          try {
            return await operation(request, context);
          } catch {
            const own = (request.caller as { account: { id: string } }).account.id;
            const newest: { id: string } = await context
              .database("ledger_entries")
              .where("account_id", own)
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
      "reads the entry of whatever account": onAny(
        "getLedgerEntry",
        (operation) => async (request, context) => {
          const { entry_id: entryId } = request.params as { entry_id: string };
          const owner: { account_id: string } | undefined = await context
            .database("ledger_entries")
            .where("id", entryId)
            .first("account_id");
          return operation(owner ? asAccount(request, owner.account_id) : request, context);
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

const pages: Mutant[] = [
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
      "counts the whole ledger whatever the filter": onAny(id, (operation) => async (request, context) => {
        const { page: _page, page_size: _size, ...query } = request.query as Body;
        const whole = await operation(
          { ...request, query: "direction" in query ? { page: 1, page_size: 1 } : request.query },
          context,
        );
        const answer = await operation(request, context);
        const [data, all] = [answer, whole].map((one) => (one as { body: Body }).body["data"] as Body);
        data!["total"] = all!["total"];
        return answer;
      }),
    },
    "LEDG-24": {
      "puts an entry more on a page than it says": onAny(id, (operation) => async (request, context) => {
        const size = Number((request.query as Body)["page_size"] ?? 50);
        const answer = await operation(
          { ...request, query: { ...(request.query as Body), page_size: size + 1 } },
          context,
        );
        const data = (answer as { body: Body }).body["data"] as Body;
        data["page_size"] = size;
        return answer;
      }),
    },
    "LEDG-25": {
      "sums up whether asked or not": asking(id, (query) => ({ ...query, summary: true })),
      "never sums up": ignoring(id, "summary"),
    },
    "LEDG-26": {
      "lists the entries of another account after its own": onAny(
        id,
        (operation) => async (request, context) => {
          const answer = await operation(request, context);
          const data = (answer as { body: Body }).body["data"] as Body;
          for (const other of await otherAccounts(request, context)) {
            const theirs = await operation(asAccount(request, other), context);
            const { items } = (theirs as { body: Body }).body["data"] as { items: Body[] };
            data["items"] = [...(data["items"] as Body[]), ...items.slice(0, 1)];
          }
          return answer;
        },
      ),
    },
    "LEDG-41": {
      "begins a page with the last entry of the one before": onAny(
        id,
        (operation) => async (request, context) => {
          const query = request.query as Body;
          const answer = await operation(request, context);
          if (page(query) < 2) return answer;
          const before = await operation({ ...request, query: { ...query, page: page(query) - 1 } }, context);
          const [mine, theirs] = [answer, before].map(
            (one) => ((one as { body: Body }).body["data"] as Body)["items"] as Body[],
          );
          mine!.unshift(...theirs!.slice(-1));
          if (mine!.length > Number(query["page_size"] ?? 50)) mine!.pop();
          return answer;
        },
      ),
      "answers every page with the first": ignoring(id, "page"),
      "answers a page beyond the last with the last page": repeatingLast(id),
    },
    "LEDG-40": { "refuses a limit of 50": refusing(id, (query) => query.get("limit") === "50", 422) },
    "LEDG-42": {
      "puts 20 entries on a page that asks for no size": onAny(id, (operation) => (request, context) => {
        const query = request.query as Body;
        const size = query["page_size"];
        return operation(
          { ...request, query: size === undefined || size === 50 ? { ...query, page_size: 20 } : query },
          context,
        );
      }),
    },
    "LEDG-43": {
      "puts at most 100 entries on a page": taking(id, "page_size", (size) => Math.min(100, Number(size))),
      "refuses a page_size of 500": refusing(id, (query) => query.get("page_size") === "500", 422),
    },
    "LEDG-44": {
      "accepts a page_size of 501": onAnswers(
        (request, answer) => answer.status === 422 && request.query.get("page_size") === "501",
        withBody(200, {
          status: "success",
          message: "ok",
          status_code: 0,
          data: { ...emptyList, page_size: 500 },
        }),
      ),
      "accepts any page_size": accepting(id, "page_size", emptyList),
    },
  }),
  ...["page", "limit", "summary"].map((name) =>
    mutant("LEDG-40", `accepts any ${name}`, accepting(id, name, emptyList)),
  ),
];

export const mutants: Mutant[] = [...entries, ...pages];
