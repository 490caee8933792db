import { kept } from "../../base/data.ts";
import { answers, operations, summaryWindowHours, type OperationId } from "../../generated/contract.ts";
import type { Exchange } from "../judge/exchange.ts";
import type { Finding, Share } from "../judge/finding.ts";
import { momentOf } from "../judge/instant.ts";
import { amountOf, ledgerEntriesOf, usageEventsOf, type Row } from "../judge/rows.ts";
import { memberOf, seenOf, type Seen } from "../judge/seen.ts";
import { culpritOf, fieldOf, headerOf, isRule, whatOf } from "./about.ts";

/*
 * Causes that the traffic of a run shows by itself, whichever checks met them: what fails for such a reason is a
 * consequence, and is listed under it.
 */

/** A cause that the traffic shows. */
export interface Observed {
  /** The same for the same cause. */
  key: string;
  /** What is wrong, in a sentence. */
  what: string;
  share: Share;
  /** Whether a finding is a consequence of it. */
  explains: (finding: Finding) => boolean;
}

/** What a run knows of the time that the books take, in seconds. */
interface Lag {
  seconds: number;
}

/** The causes that some traffic shows, those that explain others first. */
export function observedIn(
  exchanges: readonly Exchange[],
  wrong: readonly Finding[],
  lag: Lag | undefined,
): Observed[] {
  const errors = serverErrors(exchanges);
  const isLeft = (finding: Finding): boolean =>
    isOfBooks(finding) && !errors.some((error) => error.explains(finding));
  if (!wrong.some(isLeft)) return errors;
  const books = new BooksSeen(exchanges);
  return [
    ...errors,
    ...lateBooks(books, (lag?.seconds ?? usualSeconds) * 1000),
    ...rowsLeftOut(books),
    ...chargedTwice(books),
  ];
}

/** How late books may be where nothing says how late they are. */
const usualSeconds = 5;

/** "19 of 57 responses". */
export const shareWords = ({ wrong, of }: Share, things = "responses"): string =>
  `${wrong} of ${of} ${things}`;

/** A share between a fifth and three fifths, as of one or two processes of several. */
const isOfAProcess = ({ wrong, of }: Share): boolean => of >= 12 && wrong / of > 0.2 && wrong / of < 0.6;

/** Words for a fault that hits a share of the responses of several operations alike; empty for any other. */
export function processWords(
  exchanges: readonly Exchange[],
  isWrong: (exchange: Exchange) => boolean,
): string {
  const byOperation = Map.groupBy(exchanges, ({ operation }) => operation);
  const shares = [...byOperation.values()]
    .map((some) => ({ wrong: some.filter(isWrong).length, of: some.length }))
    .filter(({ of }) => of >= 12);
  const isAlike = shares.length >= 3 && shares.every(isOfAProcess);
  const [wrong, of] = [sum(shares.map((share) => share.wrong)), sum(shares.map((share) => share.of))];
  return isAlike
    ? `, about one in ${Math.round(of / wrong)} of each operation, as of one process of several`
    : "";
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** The responses by which a server says that it is at fault: each status is one cause, wherever it is met. */
function serverErrors(exchanges: readonly Exchange[]): Observed[] {
  const isError = ({ operation, response }: Exchange): boolean =>
    operation !== null &&
    response !== null &&
    response.status >= 500 &&
    response.status !== 501 &&
    answers[operation][response.status] === undefined;
  const byStatus = Map.groupBy(exchanges.filter(isError), ({ response }) => response!.status);
  return [...byStatus].map(([status, failing]) => {
    const at = new Set(failing.map(({ operation }) => operation));
    const asked = exchanges.filter(({ operation, response }) => at.has(operation) && response !== null);
    const share = { wrong: failing.length, of: asked.length };
    const isThis = (exchange: Exchange | undefined): boolean =>
      exchange?.response?.status === status && isError(exchange);
    return {
      key: `errors ${status}`,
      what: errorWords(status, failing, asked),
      share,
      explains: (finding) =>
        isThis(culpritOf(finding)) ||
        (!isRule(finding) &&
          finding.exchanges.slice(0, (finding.culprit ?? finding.exchanges.length) + 1).some(isThis)),
    };
  });
}

function errorWords(status: number, failing: readonly Exchange[], asked: readonly Exchange[]): string {
  const places = [...new Set(failing.map(whatOf))];
  const where = places.length === 1 ? places[0]! : `the server (${places.length} operations)`;
  if (failing.length === asked.length) return `${where} answers ${status} to everything`;
  const isFailing = new Set(failing);
  const share = shareWords({ wrong: failing.length, of: asked.length });
  const process = processWords(asked, (exchange) => isFailing.has(exchange));
  return `${where} answers ${status}: ${share}${process || momentWords(failing, asked)}`;
}

/** Words for a fault that hits everything for a while, and nothing before and after; empty for any other. */
function momentWords(failing: readonly Exchange[], asked: readonly Exchange[]): string {
  const times = failing.map(({ started_at: at }) => at);
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const meanwhile = asked.filter(({ started_at: at }) => at >= first && at <= last);
  const isMoment =
    failing.length >= 3 && meanwhile.length < asked.length / 2 && failing.length > 0.9 * meanwhile.length;
  return isMoment ? `, all within ${((last - first) / 1000).toFixed(1)} s` : "";
}

/** A paid request that was answered, with what its answer says. */
interface Act {
  exchange: Exchange;
  /** When it was answered, in epoch milliseconds. */
  ended: number;
  execution: string;
  isSuccess: boolean;
  /** The `session_id` of its request. */
  session: string | undefined;
}

/** A read of a list without filters, its newest rows first. */
interface ListRead {
  began: number;
  rows: readonly Row[];
}

/** A read of sums over a window, in epoch milliseconds, with the number of rows that they count. */
interface SumRead {
  began: number;
  from: number;
  until: number;
  counted: number;
}

const endOf = ({ started_at: at, duration_ms: took }: Exchange): number => at + took;

/** What the reads of a run show of the books. */
class BooksSeen {
  readonly acts: Act[] = [];
  /** Usage events and ledger entries, by account and id. */
  readonly events = new Map<string, Map<unknown, Row>>();
  readonly entries = new Map<string, Map<unknown, Row>>();
  /** Unfiltered first pages, and sums over all rows, by account. */
  readonly lists = new Map<string, ListRead[]>();
  readonly sums = new Map<string, SumRead[]>();

  constructor(exchanges: readonly Exchange[]) {
    for (const exchange of exchanges) {
      const { operation, account } = exchange;
      if (account === null || operation === null || !ofBooks.has(operation)) continue;
      const seen = seenOf(exchange);
      if (seen === null || seen.status !== 200) continue;
      if (operation === "call" || operation === "queryCapability") this.#act(seen, exchange);
      else this.#read(seen, exchange, account);
    }
  }

  #act({ body, sent }: Seen, exchange: Exchange): void {
    const execution = memberOf(body, "execution_id");
    if (typeof execution !== "string") return;
    const isSuccess = memberOf(body, "success") !== false;
    const { session_id: session } = sent;
    this.acts.push({
      exchange,
      ended: endOf(exchange),
      execution,
      isSuccess,
      session: typeof session === "string" ? session : undefined,
    });
  }

  #read(seen: Seen, exchange: Exchange, account: string): void {
    // A row without a readable id may be one that another read shows.
    const [events, entries] = [usageEventsOf(seen).filter(hasId), ledgerEntriesOf(seen).filter(hasId)];
    for (const row of events) kept(this.events, account, () => new Map<unknown, Row>()).set(row["id"], row);
    for (const row of entries) kept(this.entries, account, () => new Map<unknown, Row>()).set(row["id"], row);
    if (seen.operation !== "listUsage") return;
    const asked = [...seen.query.keys()];
    const began = exchange.started_at;
    if (asked.every((name) => name === "page_size"))
      kept(this.lists, account, (): ListRead[] => []).push({ began, rows: events });
    const counted = memberOf(memberOf(memberOf(seen.body, "data"), "summary"), "total_count");
    if (typeof counted !== "number" || !asked.every((name) => ofWindow.has(name))) return;
    const [from, until] = ["start_date", "end_date"].map((name) => seen.query.get(name));
    const window = {
      from: from == null ? began - summaryWindowHours * 3_600_000 + marginMs : instantIn(from),
      until: until == null ? Infinity : instantIn(until),
    };
    if (window.from !== undefined && window.until !== undefined)
      kept(this.sums, account, (): SumRead[] => []).push({
        began,
        counted,
        from: window.from,
        until: window.until,
      });
  }
}

const hasId = ({ id }: Row): boolean => typeof id === "string" || typeof id === "number";

/** Parameters of a summary that select no rows but by their time. */
const ofWindow: ReadonlySet<string> = new Set(["summary", "page_size", "bucket", "start_date", "end_date"]);
/** Rows this near to the beginning of the usual window may be in it or not. */
const marginMs = 60_000;

/** An instant of a query, in epoch milliseconds; undefined for a date alone. */
function instantIn(text: string): number | undefined {
  const moment = /T/.test(text) ? momentOf(text) : undefined;
  return moment === undefined ? undefined : moment / 1000;
}

/** The rows of all accounts, each once: the run may know one account by two names. */
function rowsIn(books: BooksSeen["events"]): Row[] {
  const all = [...books.values()].flatMap((rows) => [...rows.values()]);
  return [...new Map(all.map((row) => [`${row["id"]} ${row["execution_id"]}`, row])).values()];
}

const ofBooks: ReadonlySet<OperationId> = new Set<OperationId>([
  ...(["call", "queryCapability"] as const),
  ...(["listUsage", "getUsageEvent", "listLedger", "getLedgerEntry"] as const),
]);

const createdMs = (row: Row): number | undefined => {
  const moment = momentOf(row["created_at"]);
  return moment === undefined ? undefined : moment / 1000;
};

/** Whether a finding of a check is about the books: its answer at fault reads them. */
const isOfBooks = (finding: Finding): boolean => {
  const operation = culpritOf(finding)?.operation;
  if (isRule(finding) || headerOf(finding) !== undefined) return false;
  // A check that looked for rows in vain is blocked, and shows the Call that should have left them.
  if (finding.verdict === "blocked" && culpritOf(finding)?.response?.status === 200)
    return finding.exchanges.some((exchange) => isRead(exchange.operation));
  return finding.culprit === null || isRead(operation);
};

const isRead = (operation: OperationId | null | undefined): boolean =>
  operation != null && operations[operation].path.startsWith("/auth/");

/** Whether it is about how many events there are, or which. */
const isOfUsage = (finding: Finding): boolean =>
  isOfBooks(finding) && culpritOf(finding)?.operation?.includes("Usage") === true;

/** The fewest reads or Calls that show a habit of the server. */
const enough = 3;

/** Books that are behind by more than they may be: never anything younger, or in a share of the reads. */
function lateBooks(books: BooksSeen, lagMs: number): Observed[] {
  const found = [
    behind("rows", "the usage history", freshLists(books, lagMs), lagMs),
    behind("sums", "the sums", freshSums(books, lagMs), lagMs),
  ];
  return found.filter((cause) => cause !== null);
}

/** What one read shows of the rows that were due in it. */
interface Fresh {
  /** The age of the newest row that it shows, in milliseconds; infinite where it shows none. */
  newestMs: number;
  /** The age of the oldest row that is missing; null where none is. */
  missingMs: number | null;
}

function behind(of: string, where: string, reads: readonly Fresh[], lagMs: number): Observed | null {
  const late = reads.filter(({ missingMs }) => missingMs !== null);
  if (late.length < enough || late.length < reads.length / 6) return null;
  const share = { wrong: late.length, of: reads.length };
  const newestMs = Math.min(...reads.map((read) => read.newestMs));
  const isNever = newestMs > lagMs;
  const seconds = Math.floor(
    (isNever ? newestMs : Math.max(...late.map(({ missingMs }) => missingMs!))) / 1000,
  );
  const isSome = late.length < 0.7 * reads.length;
  return {
    key: `late ${of}`,
    what: isNever
      ? `nothing younger than ${seconds} s is ever in ${where} (${shareWords(share, "reads")} lack rows)`
      : `rows up to ${seconds} s old are missing from ${where} in ${shareWords(share, "reads")}${isSome ? ", as of one process of several" : ""}`,
    share,
    explains: (finding) => isOfBooks(finding) && fieldOf(finding) === null,
  };
}

/** Older rows say nothing about how late the books are. */
const watchedMs = 60_000;

/** Lists, as far as something recent was due in them. */
function freshLists({ lists, events }: BooksSeen, lagMs: number): Fresh[] {
  const fresh: Fresh[] = [];
  for (const [account, reads] of lists) {
    const known = [...(events.get(account)?.values() ?? [])].map((row) => ({
      id: row["id"],
      at: createdMs(row) ?? Infinity,
    }));
    for (const { began, rows } of reads) {
      const due = known.filter(({ at }) => at + lagMs < began && at > began - watchedMs);
      if (due.length === 0) continue;
      const shown = new Set(rows.map(({ id }) => id));
      const times = rows.map((row) => createdMs(row) ?? Infinity);
      const oldest = Math.min(...times);
      const absent = due.filter(({ id, at }) => !shown.has(id) && (at > oldest || rows.length === 0));
      fresh.push({
        newestMs: rows.length === 0 ? Infinity : began - Math.max(...times),
        missingMs: absent.length === 0 ? null : began - Math.min(...absent.map(({ at }) => at)),
      });
    }
  }
  return fresh;
}

/** Sums over a window, as far as something recent was due in them. */
function freshSums({ sums, events }: BooksSeen, lagMs: number): Fresh[] {
  const fresh: Fresh[] = [];
  for (const [account, reads] of sums) {
    const all = [...(events.get(account)?.values() ?? [])].flatMap((row) => createdMs(row) ?? []);
    for (const { began, counted, from, until } of reads) {
      const times = all.filter((at) => at >= from && at <= until).sort((one, other) => one - other);
      const due = times.filter((at) => at + lagMs < began);
      if (!due.some((at) => at > began - watchedMs)) continue;
      fresh.push({
        newestMs: counted === 0 ? Infinity : began - (times[counted - 1] ?? Infinity),
        missingMs: counted < due.length ? began - due[counted]! : null,
      });
    }
  }
  return fresh;
}

/** Kinds of Calls that leave no usage event, where others do. */
function rowsLeftOut({ acts, events, lists }: BooksSeen): Observed[] {
  const executions = new Set(rowsIn(events).map((row) => row["execution_id"]));
  const lastRead = new Map(
    [...lists].map(([account, reads]) => [account, Math.max(...reads.map(({ began }) => began))]),
  );
  const lookedFor = acts.filter(({ exchange, ended }) => (lastRead.get(exchange.account!) ?? 0) > ended);
  const [failed, successful] = [
    lookedFor.filter((act) => !act.isSuccess),
    lookedFor.filter((act) => act.isSuccess),
  ];
  const shown = (some: readonly Act[]): number => some.filter((act) => executions.has(act.execution)).length;
  const unshown = (isSuccess: boolean, missing: readonly Act[], others: readonly Act[]): Observed[] => {
    if (missing.length < enough || shown(missing) > 0 || shown(others) < Math.max(1, others.length / 2))
      return [];
    const alone = isSuccess ? "failed" : "successful";
    const calls = new Set(missing.map(({ exchange }) => exchange));
    const share = { wrong: missing.length, of: lookedFor.length };
    return [
      {
        key: `rows of ${alone} Calls alone`,
        what: `usage events are written for ${alone} Calls alone: 0 of ${missing.length} ${isSuccess ? "successful" : "failed"} Calls have one, ${shown(others)} of ${others.length} ${alone} ones do`,
        share,
        explains: (finding) =>
          isOfUsage(finding) ||
          (isOfBooks(finding) && finding.exchanges.some((exchange) => calls.has(exchange))),
      },
    ];
  };
  return [...unshown(false, failed, successful), ...unshown(true, successful, failed)];
}

/** Calls that have two charges, in the usage history or in the ledger alone. */
function chargedTwice({ acts, events, entries }: BooksSeen): Observed[] {
  const charged = rowsIn(events).filter((row) => row["charge_outcome"] === "charged");
  const charges = rowsIn(entries).filter((row) => (amountOf(row) ?? 0) < 0);
  const sent = Map.groupBy(acts, ({ session }) => session ?? "");
  sent.delete("");
  const bySession = Map.groupBy(charged, (row) => String(row["session_id"]));
  const doubled = [...sent].filter(
    ([session, calls]) => (bySession.get(session)?.length ?? 0) > calls.length,
  );
  const byExecution = Map.groupBy(charges, (row) => String(row["execution_id"] ?? ""));
  byExecution.delete("");
  const entered = [...byExecution.values()].filter((some) => some.length > 1);
  const found =
    doubled.length >= enough
      ? {
          share: {
            wrong: doubled.length,
            of: [...sent.keys()].filter((session) => bySession.has(session)).length,
          },
          things: "sessions hold more charged events than Calls",
        }
      : {
          share: { wrong: entered.length, of: byExecution.size },
          things: "Calls have two charges in the ledger",
        };
  const { share, things } = found;
  if (share.wrong < enough) return [];
  const isPaid = ({ operation }: Exchange): boolean =>
    operation === "call" || operation === "queryCapability";
  return [
    {
      key: "charged twice",
      what: `${share.wrong > 0.9 * share.of ? "each Call is" : "Calls are"} charged twice: ${share.wrong} of ${share.of} ${things}`,
      share,
      explains: (finding) =>
        !isRule(finding) &&
        (isOfBooks(finding) || finding.fact?.kind === "amount") &&
        finding.exchanges.some(isPaid),
    },
  ];
}
