import { join } from "node:path";
import { limitedOperations, type OperationId } from "../../generated/contract.ts";
import type { AnyOperation } from "../../reference-server/http/operation.ts";
import { createBooks } from "../../reference-server/storage/books.ts";
import { openDatabase } from "../../reference-server/storage/open.ts";
import type { Writer } from "../../reference-server/storage/writer.ts";
import { isObject } from "../../base/data.ts";
import type { Answered } from "./audit-query.ts";
import { together, type Change } from "./mutant.ts";

/*
 * A server some of whose reads come from a replica that lags behind: from snapshots of its embedded database, each a
 * read transaction that was opened before a write and is kept open for a while.
 */

type Request = Parameters<AnyOperation>[0];
type Context = Parameters<AnyOperation>[1];
type Database = Context["database"];

/** What a replica serves: usage events, ledger entries, sums of rows, or balances. */
export type Served = "events" | "entries" | "sums" | "balances";

/** A replica that lags behind. */
export interface Replica {
  /** How far it lags behind, in milliseconds. */
  lateMs: number;
  serves: readonly Served[];
  /** It answers one read of so many, as one process of several does; all of them by default. */
  oneOf?: number;
}

const rowReads = {
  events: ["listUsage", "getUsageEvent", "listUsageFeed", "exportUsage"],
  entries: ["listLedger", "getLedgerEntry", "exportLedger", "listSettlements"],
} as const satisfies Partial<Record<Served, readonly OperationId[]>>;
const writes: readonly OperationId[] = [
  ...limitedOperations,
  ...(["queryCapability", "getCapability", "registerAnonymous", "verifyClaim"] as const),
];

/** Snapshots this close to each other are one. */
const apartMs = 40;
/** A stream may still read a snapshot for so long after it is no longer served. */
const streamingMs = 10_000;

interface Snapshot {
  at: number;
  database: Promise<Database>;
  close: () => Promise<void>;
}

/** The database of a context as it was some milliseconds ago. */
class Past {
  readonly #lateMs: number;
  #path = "";
  #file: ReturnType<typeof openDatabase> | undefined;
  #snapshots: Snapshot[] = [];

  constructor(lateMs: number) {
    this.#lateMs = lateMs;
  }

  /** Keeps the state before a write. */
  async keep({ config }: Context): Promise<void> {
    const path = join(config.dataFolder, "data.sqlite");
    // One change may alter several servers, one after another.
    if (path !== this.#path) {
      this.#path = path;
      this.#file = undefined;
      this.#snapshots = [];
    }
    const now = performance.now();
    for (const old of this.#snapshots.filter(({ at }) => now - at > this.#lateMs + streamingMs))
      void old.close();
    this.#snapshots = this.#snapshots.filter(({ at }) => now - at <= this.#lateMs + streamingMs);
    if (now - (this.#snapshots.at(-1)?.at ?? -Infinity) >= apartMs) {
      this.#file ??= openDatabase(`file:${path}`);
      const opening = this.#file.then((file) => file.read());
      const database = opening.then(async (reader) => {
        const transaction = await reader.transaction();
        // The first read fixes what the transaction sees.
        await transaction("accounts").select("id").limit(1);
        return transaction;
      });
      this.#snapshots.push({ at: now, database, close: async () => (await opening).destroy() });
    }
    await this.#snapshots.at(-1)!.database;
  }

  /** The state before the first write of the last while; undefined if nothing was written. */
  async read(): Promise<Database | undefined> {
    const from = performance.now() - this.#lateMs;
    return this.#snapshots.find(({ at }) => at >= from)?.database;
  }
}

/** Replaces the members of an answer's data by those of another answer. */
function withMembers(answer: Answered, other: Answered, names: readonly string[]): Answered {
  if (!("body" in answer && "body" in other && isObject(answer.body) && isObject(other.body))) return answer;
  const [data, late] = [answer.body["data"], other.body["data"]];
  if (!isObject(data) || !isObject(late)) return answer;
  const members = Object.fromEntries(names.map((name) => [name, late[name]]));
  return { ...answer, body: { ...answer.body, data: { ...data, ...members } } } as Answered;
}

/** Which members of a list's answer are sums. */
const sums = ["summary"];

/** A change of a server all of whose reads lag behind; its profile declares that they may be that much later. */
export const lagging = (lateMs: number, change: Change): Change =>
  together(fromReplica({ lateMs, serves: ["events", "entries", "sums", "balances"] }), change, {
    profile: (profile) => ({ ...profile, audit_lag: (profile.audit_lag ?? 0) + lateMs / 1_000 }),
  });

/** Serves reads from a replica. */
export function fromReplica({ lateMs, serves, oneOf = 1 }: Replica): Change {
  const past = new Past(lateMs);
  let reads = 0;
  let last: Promise<unknown> = Promise.resolve();
  const isLate = (): boolean => {
    reads += 1;
    return reads % oneOf === 0;
  };
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work, work);
    last = done;
    return done;
  };
  const late = async (operation: AnyOperation, request: Request, context: Context): Promise<Answered> => {
    const database = await past.read();
    if (database === undefined) return operation(request, context);
    const books = createBooks({ database, writer: undefined as unknown as Writer });
    const balance: typeof books.balance = (id) => books.balance(id).catch(() => context.books.balance(id));
    return inTurn(() => operation(request, { ...context, database, books: { ...context.books, balance } }));
  };
  const isServed = (operation: Served): boolean => serves.includes(operation);
  const readingLate =
    (rows: "events" | "entries", operation: AnyOperation): AnyOperation =>
    async (request, context) => {
      if (!isLate()) return operation(request, context);
      const asksSums = isObject(request.query) && request.query["summary"] === true;
      if (!asksSums || isServed(rows) === isServed("sums"))
        return isServed(rows) ? late(operation, request, context) : operation(request, context);
      const [fresh, old] = [await operation(request, context), await late(operation, request, context)];
      return isServed("sums") ? withMembers(fresh, old, sums) : withMembers(old, fresh, sums);
    };
  const allLate =
    (operation: AnyOperation): AnyOperation =>
    async (request, context) =>
      isLate() ? late(operation, request, context) : operation(request, context);
  const keeping =
    (operation: AnyOperation): AnyOperation =>
    async (request, context) => {
      await past.keep(context);
      return operation(request, context);
    };
  return {
    operations: (operations) => {
      const all = { ...operations } as Record<OperationId, AnyOperation>;
      for (const rows of ["events", "entries"] as const)
        for (const id of rowReads[rows]) all[id] = readingLate(rows, all[id]);
      if (isServed("sums")) all.getCreditsSpent = allLate(all.getCreditsSpent);
      if (isServed("balances")) all.getCredits = allLate(all.getCredits);
      for (const id of writes) all[id] = keeping(all[id]);
      return all as unknown as typeof operations;
    },
  };
}
