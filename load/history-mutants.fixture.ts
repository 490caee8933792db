import { randomUUID } from "node:crypto";
import {
  moving,
  onAnswers,
  onBody,
  onPart,
  onPath,
  onStatus,
  together,
  withBody,
  type Body,
  type Change,
} from "../conformance/changes/mutant.ts";
import type { WireRequest } from "../conformance/changes/wire.ts";
import { busyMs, whileBusy } from "../conformance/suite/account/history.mutants.ts";
import type { OperationId } from "../generated/contract.ts";
import type { Books } from "../reference-server/parts.ts";
import type { NewUsageEvent } from "../reference-server/records.ts";

/** A fault of a process that serves. */
export interface ProcessFault {
  /** What a process at fault does or answers. */
  change: Change;
  /** What every process shows of it: a row that was written wrongly is wrong wherever it is read. */
  shown?: Change;
}

/** The reference server with one fault that shows in the answers to clients while others write. */
export interface HistoryMutant extends ProcessFault {
  name: string;
  /** The contradiction that must be reported. */
  caughtBy: string;
  /** All names under which it may be reported, of one clause. */
  names: readonly string[];
}

/** Where the reader may have seen before what it misses, which has another name. */
const otherNames: Readonly<Record<string, string>> = { "exports two moments": "usage-went-back" };

/** Rows that never appear need not be waited for. */
export const soon: Change = { profile: (profile) => ({ ...profile, audit_lag: 0.05 }) };

/** A server at fault in all that it does. */
export const everywhere = ({ change, shown = {} }: ProcessFault): Change => together(shown, change, soon);

/** Three processes that answer by turns, one of which is at fault. */
export const inOneProcess = ({ change, shown = {} }: ProcessFault): Change => ({
  ...together(shown, soon),
  apart: { of: 3, change },
});

const keyOf = ({ headers }: WireRequest): string => String(headers.authorization);
const items = (body: Body): Body[] => (body["data"] as { items: Body[] }).items;
const withItems = (body: Body, rows: readonly Body[], more = 0): Body => ({
  ...body,
  data: { ...(body["data"] as Body), items: rows, total: Number((body["data"] as Body)["total"]) + more },
});
const isNewest = ({ query }: WireRequest): boolean => (query.get("page") ?? "1") === "1";
const ageMs = (row: Body): number => Date.now() - Date.parse(String(row["created_at"]));

const lists: OperationId[] = ["listLedger", "listUsage"];

/** Without the rows that are younger than some milliseconds. */
const late =
  (ms: number) =>
  (body: Body, request: WireRequest): Body => {
    if (!isNewest(request)) return body;
    const kept = items(body).filter((row) => ageMs(row) > ms);
    return withItems(body, kept, kept.length - items(body).length);
  };

/** Leaves lines out of an export. */
const withoutLines = (operation: OperationId, isLost: (line: string) => boolean): Change =>
  onStatus(operation, 200, (answer) => ({
    ...answer,
    body: answer.body
      .split("\r\n")
      .filter((line) => !isLost(line))
      .join("\r\n"),
  }));

let turn = 0;
const sometimes = (one: number): boolean => {
  turn += 1;
  return turn % one === 0;
};

/**
 * Writes the rows of some settlements wrongly.
 * @param one of how many
 * @param shown what every process then shows of those executions
 */
function ofSettlements(
  one: number,
  shown: (isBefallen: (execution: unknown) => boolean) => Change,
): ProcessFault {
  const befallen = new Set<unknown>();
  return {
    change: onPart("books", (books) => ({
      ...books,
      settle(executionId, event) {
        if (sometimes(one)) befallen.add(executionId);
        return books.settle(executionId, event);
      },
    })),
    shown: shown((execution) => befallen.has(execution)),
  };
}

/** Shows the charges of some settlements otherwise than they were. */
const onCharges = (one: number, change: (row: Body) => Body[]): ProcessFault =>
  ofSettlements(one, (isBefallen) =>
    onPath("listLedger", "data.items", (rows) =>
      (rows as Body[]).flatMap((row) =>
        isCharge(row) && isBefallen(row["execution_id"]) ? change(row) : [row],
      ),
    ),
  );

/** The execution that a line of an export names. */
const executionIn = (line: string): string | undefined => /exec_[-\w]+/.exec(line)?.[0];

/** The previous answer in place of every third one. */
const earlier = (): ((body: Body, request: WireRequest) => Body) => {
  const known = new Map<string, Body>();
  return (body, request) => {
    const name = `${keyOf(request)} ${request.path} ${request.query.toString()}`;
    const before = known.get(name);
    if (before !== undefined && sometimes(3)) return before;
    known.set(name, body);
    return body;
  };
};

/** Charges a Call again, under another execution, after its client has closed the connection. */
function chargingTheLost(): Change {
  const settled = new Map<string, NewUsageEvent>();
  let own: Books | undefined;
  return together(
    onPart("books", (books) => {
      own = books;
      return {
        ...books,
        settle(executionId, event) {
          settled.set(executionId, event);
          return books.settle(executionId, event);
        },
      };
    }),
    onAnswers(
      ({ operation, headers }) => operation === "call" && headers["connection"] === "close",
      (answer) => answer,
    ),
    {
      async wire({ operation, headers }, answer) {
        const { execution_id: id } = (operation === "call" ? JSON.parse(answer.body) : {}) as {
          execution_id?: string;
        };
        const event = settled.get(id ?? "");
        if (headers["connection"] !== "close" || event === undefined) return answer;
        await new Promise((resolve) => setTimeout(resolve, 40));
        await own!.record({ ...event, execution_id: `${id!.slice(0, -4)}beef` });
        return answer;
      },
    },
  );
}

/** Holds credits with every fifth settlement, and never releases them. */
const leakingHolds = onPart("books", (books) => ({
  ...books,
  async settle(executionId, event) {
    if (sometimes(5))
      await books.hold({
        accountId: event.account_id,
        executionId: `exec_${randomUUID()}`,
        amount: 250_000,
        event,
      });
    return books.settle(executionId, event);
  },
}));

/** Loses one of two updates: of simultaneous settlements, only one lowers the balance. */
const losingUpdates = (): ProcessFault => {
  let underWay = 0;
  return {
    change: onPart("books", (books) => ({
      ...books,
      async settle(executionId, event) {
        underWay += 1;
        try {
          const done = await books.settle(executionId, event);
          if (underWay > 1 && event.settled_amount > 0)
            await moving(books, event.account_id, event.settled_amount / 1e6);
          return done;
        } finally {
          underWay -= 1;
        }
      },
    })),
    shown: together(
      withoutLines("exportLedger", (line) => line.includes(",moved")),
      onBody("listLedger", (body) => {
        const kept = items(body).filter(({ description }) => description !== "moved");
        return withItems(body, kept, kept.length - items(body).length);
      }),
    ),
  };
};

/** A refund that one read shows while others write, and no later read does. */
const vanishingRefund = (): Change => {
  const shown = new Map<string, { row: Body; at: number }>();
  return whileBusy("listLedger", (body, request) => {
    const key = keyOf(request);
    const [first] = items(body);
    if (first === undefined || !isNewest(request)) return body;
    const known = shown.get(key);
    if (known === undefined || Date.now() - known.at > 400) {
      const { created_at } = first;
      const row = {
        ...first,
        id: randomUUID(),
        created_at,
        entry_type: "grant_payment_recharge",
        amount_credits: 1,
        execution_id: null,
        balance_before: null,
        balance_after: null,
      };
      shown.set(key, { row, at: Date.now() });
      return withItems(body, [row, ...items(body)].slice(0, items(body).length), 1);
    }
    return Date.now() - known.at < 100
      ? withItems(body, [known.row, ...items(body)].slice(0, items(body).length), 1)
      : body;
  });
};

/** Another account's newest row among one's own. */
const bleeding = (): Change => {
  const newest = new Map<string, Body>();
  return whileBusy("listLedger", (body, request) => {
    const [first] = items(body);
    const key = keyOf(request);
    if (first !== undefined && isNewest(request)) newest.set(key, first);
    const other = [...newest].find(([one]) => one !== key)?.[1];
    return other === undefined || !isNewest(request) || !sometimes(4)
      ? body
      : withItems(body, [other, ...items(body).slice(0, -1)], 1);
  });
};

/** The previous summary with the current count. */
const mixedSummary = (operation: OperationId, sum: string): Change => {
  const before = new Map<string, unknown>();
  return whileBusy(operation, (body, request) => {
    const { summary } = body["data"] as { summary: Body | null };
    if (summary === null) return body;
    const key = keyOf(request);
    const mixed = { ...summary, [sum]: before.get(key) ?? summary[sum] };
    before.set(key, summary[sum]);
    return { ...body, data: { ...(body["data"] as Body), summary: mixed } };
  });
};

/** The current newest rows above the rest of an earlier moment. */
const exportOfTwoMoments = (): Change => {
  const before = new Map<string, string[]>();
  let lastCall = 0;
  return together(
    {
      wire(request, answer) {
        if (request.operation === "call") lastCall = Date.now();
        return answer;
      },
    },
    onStatus("exportUsage", 200, (answer, request) => {
      const [header, ...lines] = answer.body.split("\r\n").filter((line) => line !== "");
      const key = keyOf(request);
      const old = before.get(key);
      if (old === undefined || lines.length < old.length + 4) {
        if (old === undefined) before.set(key, lines);
        return answer;
      }
      before.set(key, lines);
      return Date.now() - lastCall > busyMs
        ? answer
        : { ...answer, body: `${[header, ...lines.slice(0, 3), ...old].join("\r\n")}\r\n` };
    }),
  );
};

/** An entry with both balances moved, so that it is right by itself. */
function withBalances(row: Body, shift: number): Body {
  const moved = (side: string): unknown => {
    const balance = row[side] as { total_available_credits: number } | null;
    return (
      balance && {
        total_available_credits: Math.round((balance.total_available_credits + shift) * 1e6) / 1e6,
      }
    );
  };
  return { ...row, balance_before: moved("balance_before"), balance_after: moved("balance_after") };
}

const another = (id: unknown): string => String(id).replace(/^./, (digit) => (digit === "f" ? "e" : "f"));
const isCharge = (row: Body): boolean => Number(row["amount_credits"]) < 0 && row["execution_id"] != null;

const mutantsOf = (faults: Record<string, Record<string, Change | ProcessFault>>): HistoryMutant[] =>
  Object.entries(faults).flatMap(([caughtBy, changes]) =>
    Object.entries(changes).map(([name, fault]) => ({
      name,
      caughtBy,
      names: [caughtBy, otherNames[name] ?? caughtBy],
      ...("change" in fault ? fault : { change: fault }),
    })),
  );

/**
 * The faults by what must be reported.
 * @param lagMs how late the reads are anyway: what is wrong only by being late is later by so much
 */
export const historyMutants = (lagMs = 0): readonly HistoryMutant[] =>
  mutantsOf({
    "more-left-at-rest": { "loses one of two updates of a balance": losingUpdates() },
    "call-with-two-charges": {
      "enters an execution twice": onCharges(2, (row) => [row, { ...row, id: another(row["id"]) }]),
    },
    "unanswered-call-with-two-charges": { "charges a Call again whose client has gone": chargingTheLost() },
    "ledger-went-back": {
      "answers with an older read after a newer one": whileBusy(lists, earlier()),
      "shows a refund and then no longer": vanishingRefund(),
    },
    "usage-went-back": {
      "reads by turns from two replicas": whileBusy(lists, (body, request) =>
        sometimes(2) ? late(lagMs + 300)(body, request) : body,
      ),
    },
    "ledger-too-old": {
      "leaves a row out of a page while others are written": whileBusy("listLedger", (body) =>
        withItems(
          body,
          items(body).filter((_, index) => index !== 5),
        ),
      ),
      "is late by more than audit_lag": onBody(lists, late(lagMs + 700)),
    },
    "entry-shown-twice": {
      "repeats a row on a page while others are written": whileBusy("listLedger", (body) =>
        withItems(
          body,
          items(body).map((row, index, rows) => (index === 5 ? rows[4]! : row)),
        ),
      ),
    },
    "ledger-summary": {
      "sums up an earlier moment than it counts": mixedSummary("listLedger", "net_amount_credits"),
    },
    "ledger-count": {
      "counts a row of the last second twice": onBody("listLedger", (body) => {
        const { summary } = body["data"] as { summary: Body | null };
        const [first] = items(body);
        if (summary === null || first === undefined || ageMs(first) > lagMs + 1_000) return body;
        const twice = {
          ...summary,
          total_entries: Number(summary["total_entries"]) + 1,
          consume_count: Number(summary["consume_count"]) + 1,
        };
        return { ...body, data: { ...(body["data"] as Body), summary: twice } };
      }),
    },
    "held-at-rest": { "leaves credits held": leakingHolds },
    "event-without-entry": {
      "loses the entry of an event": ofSettlements(2, (isBefallen) =>
        together(
          onPath("listLedger", "data.items", (rows) =>
            (rows as Body[]).filter((row) => !isBefallen(row["execution_id"])),
          ),
          withoutLines("exportLedger", (line) => isBefallen(executionIn(line))),
        ),
      ),
    },
    "call-without-event": {
      "loses the event of an entry": ofSettlements(2, (isBefallen) =>
        together(
          onPath(["listUsage", "listUsageFeed"], "data.items", (rows) =>
            (rows as Body[]).filter((row) => !isBefallen(row["execution_id"])),
          ),
          withoutLines("exportUsage", (line) => isBefallen(executionIn(line))),
        ),
      ),
    },
    "ledger-against-time": {
      "orders entries against time": ofSettlements(2, (isBefallen) =>
        onPath("listLedger", "data.items", (rows) =>
          (rows as Body[])
            .map((row) =>
              isBefallen(row["execution_id"])
                ? {
                    ...row,
                    created_at: new Date(Date.parse(String(row["created_at"])) - lagMs - 900).toISOString(),
                  }
                : row,
            )
            .sort(
              (one, other) => Date.parse(String(other["created_at"])) - Date.parse(String(one["created_at"])),
            ),
        ),
      ),
    },
    "below-zero": {
      "dips below zero while others are settled": whileBusy("listLedger", (body) =>
        withItems(
          body,
          items(body).map((row, index) =>
            index === 2 && isCharge(row)
              ? {
                  ...row,
                  balance_before: { total_available_credits: -0.5 + -Number(row["amount_credits"]) - 0.5 },
                  balance_after: { total_available_credits: -1 },
                }
              : row,
          ),
        ),
      ),
    },
    "refused-call-charged": {
      "answers 402 to a Call that it charges": onAnswers(
        ({ operation }, { status }) => operation === "call" && status === 200 && sometimes(6),
        (answer) =>
          withBody(402, {
            ...(JSON.parse(answer.body) as Body),
            success: false,
            status: "failure",
            message: "no credits",
            error_message: "no credits",
            result: null,
            remaining_credits: 0,
          })(answer),
      ),
    },
    "ledger-of-another-account": { "shows an entry of another account": bleeding() },
    "usage-too-old": { "exports two moments": exportOfTwoMoments() },
    "chain-gap": {
      "leaves a gap in the chain of balances": onCharges(2, (row) => [withBalances(row, 0.25)]),
    },
    "chain-forks": {
      "starts two entries from one balance": onCharges(2, (row) => [
        withBalances(row, -Number(row["amount_credits"])),
      ]),
    },
  });
