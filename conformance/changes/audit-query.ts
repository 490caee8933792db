import type { EventType } from "../../generated/contract.ts";
import { micro } from "../../reference-server/billing/money.ts";
import type { AnyOperation, OperationId } from "../../reference-server/http/operation.ts";
import { moving, onAnswers, onPart, withBody, type Body, type Change } from "./mutant.ts";
import type { Parts } from "../../reference-server/parts.ts";
import type { WireAnswer } from "./wire.ts";

type Request = Parameters<AnyOperation>[0];
type Context = Parameters<AnyOperation>[1];
export type Answered = Awaited<ReturnType<AnyOperation>>;
type Recorded = Parameters<Parts["books"]["record"]>[0];

/** Wraps an operation without its types: queries are parameters by name, answers are of any type. */
export const onAny = (
  id: OperationId,
  wrap: (operation: AnyOperation) => (request: Request, context: Context) => Promise<Answered>,
): Change => ({
  operations: (operations) => ({ ...operations, [id]: wrap(operations[id] as AnyOperation) }),
});

/** The operation answers a different query from the one it was sent. */
export const asking = (id: OperationId, change: (query: Body) => Body): Change =>
  onAny(
    id,
    (operation) => (request, context) =>
      operation({ ...request, query: change({ ...(request.query as Body) }) }, context),
  );

/** The request of a history, for a mutant that changes its answer. */
interface Asked {
  query: Body;
  accountId: string;
  context: Context;
  /** The data that the same request answers with another query, or to another account. */
  ask: (query: Body, accountId?: string) => Promise<Body>;
  /** The accounts that have events, except the caller's. */
  others: () => Promise<string[]>;
}

/** Changes the data of an operation's 200 in place. */
export const onData = (id: OperationId, change: (data: Body, asked: Asked) => unknown): Change =>
  onAny(id, (operation) => async (request, context) => {
    const answer = await operation(request, context);
    if (answer.status !== 200) return answer;
    const accountId = accountOf(request);
    await change(dataOf(answer), {
      query: request.query as Body,
      accountId,
      context,
      ask: async (query, account = accountId) =>
        dataOf(await operation({ ...asAccount(request, account), query }, context)),
      others: () => otherAccounts(request, context),
    });
    return answer;
  });

/** The data of a JSON answer. */
export const dataOf = (answer: Answered): Body =>
  "body" in answer ? ((answer.body as Body)["data"] as Body) : {};

/** The rows of a list's data. */
export const itemsOf = (data: Body): Body[] => (data["items"] ?? []) as Body[];

/** Whether a row is older than some time in ms. */
export const isOlder = ({ created_at: at }: Body, ms: number): boolean =>
  Date.now() - Date.parse(String(at)) > ms;

export const accountOf = (request: Request): string =>
  (request.caller as { account: { id: string } }).account.id;

/** The operation ignores some parameters of its query. */
export const ignoring = (id: OperationId, ...names: string[]): Change =>
  asking(id, (query) => withoutNames(query, names));

/** The operation takes one parameter, if given, for another value; undefined removes it. */
export const taking = (id: OperationId, name: string, change: (value: unknown) => unknown): Change =>
  asking(id, (query) => {
    if (query[name] === undefined) return query;
    const taken = change(query[name]);
    return taken === undefined ? withoutNames(query, [name]) : { ...query, [name]: taken };
  });

export const withoutNames = (query: Body, names: readonly string[]): Body =>
  Object.fromEntries(Object.entries(query).filter(([name]) => !names.includes(name)));

/** An answer that says its body is JSON, as a refused export does. */
export const asJson = (answer: WireAnswer): WireAnswer => ({
  ...answer,
  headers: { ...answer.headers, "content-type": "application/json" },
});

/** Answers with another status and the error object when the predicate says so. */
export const refusing = (
  id: OperationId,
  when: (query: URLSearchParams) => boolean,
  status: number,
): Change =>
  onAnswers(
    (request) => request.operation === id && when(request.query),
    (answer) => withBody(status, { status: "failure", message: "refused", data: null })(asJson(answer)),
  );

/**
 * Answers as the account that owns a row, if the query or the path names one.
 * @param of what else the row must have
 */
export const asOwnerOf = (
  id: OperationId,
  column: string,
  name: string,
  table: "usage_events" | "ledger_entries" = "usage_events",
  of: Record<string, string> = {},
): Change =>
  onAny(id, (operation) => async (request, context) => {
    const value = (request.query as Body)[name] ?? (request.params as Body)[name];
    if (value === undefined) return operation(request, context);
    const owner: { account_id: string } | undefined = await context
      .database(table)
      .where({ ...of, [column]: String(value) })
      .first("account_id");
    return operation(owner ? asAccount(request, owner.account_id) : request, context);
  });

/** The same request from another account. */
export function asAccount(request: Request, accountId: string): Request {
  const caller = request.caller as { account: Body };
  return { ...request, caller: { ...caller, account: { ...caller.account, id: accountId } } };
}

/** A feed's cursor carries the account it was issued to, and any client that sends it reads as that account. */
export const cursorsOfOwners = (id: "listUsageFeed" | "listSettlements"): Change =>
  onAny(id, (operation) => async (request, context) => {
    const { cursor, ...query } = request.query as Body;
    const [place, owner = accountOf(request)] = String(cursor ?? "").split("@");
    const asked = place === "" ? query : { ...query, cursor: place };
    const answer = await operation(asAccount({ ...request, query: asked }, owner), context);
    const data = dataOf(answer) as Body | null;
    if (data?.["next_cursor"]) data["next_cursor"] = `${String(data["next_cursor"])}@${owner}`;
    return answer;
  });

/** A feed goes on after the moment of a page's last row, and so skips the other rows of that moment. */
export function skippingTies(id: "listUsageFeed" | "listSettlements"): Change {
  const ends = new Map<unknown, unknown>();
  return onData(id, (data, { query: { cursor } }) => {
    const items = itemsOf(data);
    ends.set(data["next_cursor"], items.at(-1)?.["created_at"]);
    if (cursor !== undefined) data["items"] = items.filter(({ created_at: at }) => at !== ends.get(cursor));
  });
}

/** The accounts that have events, except the caller's. */
export async function otherAccounts(request: Request, context: Context): Promise<string[]> {
  const rows: { account_id: string }[] = await context
    .database("usage_events")
    .distinct("account_id")
    .whereNot("account_id", accountOf(request));
  return rows.map(({ account_id: id }) => id);
}

/** Writes usage events that differ from what happened. */
export const recording = (change: (event: Recorded) => Partial<Recorded>): Change => {
  const changed = (event: Recorded): Recorded => ({ ...event, ...change(event) });
  return onPart("books", (books) => ({
    hold: (hold) => books.hold(hold),
    settle: (executionId, event) => books.settle(executionId, changed(event)),
    record: (event) => books.record(changed(event)),
    move: (move) => books.move(move),
    sweep: () => books.sweep(),
    balance: (accountId) => books.balance(accountId),
  }));
};

/** Takes a little from the balance with every recorded event of a type, as a refund. */
export const takingForEvents = (type: EventType): Change =>
  onPart("books", (books) => ({
    ...books,
    record: async (event) => {
      const recorded = await books.record(event);
      if (event.event_type === type) await moving(books, event.account_id, -0.001);
      return recorded;
    },
  }));

/** Under-reports the balance a little more with each settlement of a kind. */
export const keepingBack = (credits: number, isKind: (event: Recorded) => boolean): Change =>
  onPart("books", (books) => {
    let kept = 0;
    return {
      ...books,
      settle: (executionId, event) => {
        if (isKind(event)) kept += micro(credits);
        return books.settle(executionId, event);
      },
      record: async (event) => {
        const recorded = await books.record(event);
        return recorded === "insufficient" ? recorded : { ...recorded, remaining: recorded.remaining - kept };
      },
    };
  });

const bareDate = /^\d{4}-\d{2}-\d{2}$/;
const dayMs = 86_400_000;

/** A moment some milliseconds away; other text stays, so that the server refuses it as it is. */
function moved(value: unknown, milliseconds: number): string {
  const text = String(value);
  const moment = /^\d{4}-\d\d-\d\d(T\d\d:\d\d.*)?$/.test(text) ? Date.parse(text) + milliseconds : NaN;
  return Number.isNaN(moment) ? text : new Date(moment).toISOString();
}

/** Ways to misinterpret a date in a query. */
export const misread = {
  /** Reads a date without a time as the day before. */
  dayBefore: (value: unknown): unknown =>
    bareDate.test(String(value)) ? moved(value, -dayMs).slice(0, 10) : value,
  /** Reads a date without a time as the start of its day. */
  midnight: (value: unknown): unknown =>
    bareDate.test(String(value)) ? `${String(value)}T00:00:00Z` : value,
  /** Reads a date without a time as eight o'clock. */
  dayAtEight: (value: unknown): unknown =>
    bareDate.test(String(value)) ? `${String(value)}T08:00:00Z` : value,
  /** Ignores a date without a time. */
  noDay: (value: unknown): unknown => (bareDate.test(String(value)) ? undefined : value),
  /** Ignores a datetime. */
  noInstant: (value: unknown): unknown => (bareDate.test(String(value)) ? value : undefined),
  /** Shifts a datetime by some milliseconds. */
  shifted:
    (milliseconds: number) =>
    (value: unknown): unknown =>
      bareDate.test(String(value)) ? value : moved(value, milliseconds),
  /** Ignores the zone of a datetime. */
  zoneless: (value: unknown): unknown => String(value).replace(/(T.*?)(Z|[+-]\d{2}:?\d{2})$/i, "$1Z"),
};
