import type { OperationId } from "../../../generated/contract.ts";
import type { Exchange } from "../../judge/exchange.ts";
import type { When } from "./act.ts";
import { seeded } from "../../../base/seeded.ts";

/** An entry and an event of the simulated books. */
interface Charge {
  at: number;
  entry: Record<string, unknown>;
  event: Record<string, unknown>;
}

export interface Taken {
  exchange: Exchange;
  when: When;
}

/** What a simulated server does, and what a test spoils in it. */
export interface Simulation {
  seed: number;
  operations: number;
  clients?: number;
  pageSize?: number;
  /** Rows become visible so many ms after they were written. */
  lagMs?: number;
  /** The share of Calls whose answer is lost. */
  lost?: number;
  hasBalances?: boolean;
  /** Whether lists name executions and sessions, and so show which Call caused a row. */
  namesCalls?: boolean;
  /** Whether there are lists at all. */
  hasLists?: boolean;
  /** Changes what a read sees: the charges that it would show, oldest first. */
  sees?: (charges: Charge[], read: { client: number; begin: number; operation: string }) => Charge[];
  /** Changes an exchange before it is taken. */
  alter?: (exchange: Exchange, index: number) => void;
  /** Changes the charges of a Call. */
  charges?: (charges: Charge[], call: { session: string; lost: boolean }) => Charge[];
}

export const epoch = 1_790_000_000_000;
const openingMicro = 1_000_000_000_000;

/**
 * The exchanges of concurrent clients of one account of a simulated server: each operation takes effect at one moment
 * between its beginning and its end. At the end everything is read at rest.
 * @returns the exchanges, and the moment from which on nothing moves
 */
export function simulate(simulation: Simulation): { taken: Taken[]; restFrom: number } {
  const { operations, clients = 8, pageSize = 10, lagMs = 0, lost = 0.05 } = simulation;
  const { hasBalances = true, namesCalls = true, hasLists = true } = simulation;
  const { below } = seeded(simulation.seed);
  const random = (): number => below(2 ** 32) / 2 ** 32;
  const free = new Array<number>(clients).fill(epoch);
  const charges: Charge[] = [];
  /** The sum of the charges before each place. */
  const sums = [0];
  let balance = openingMicro;
  const taken: Taken[] = [];
  const planned: { client: number; begin: number; at: number; end: number; kind: number }[] = [];
  for (let index = 0; index < operations; index += 1) {
    const client = Math.floor(random() * clients);
    const begin = free[client]! + random() * 3;
    const at = begin + 0.1 + random() * 4;
    const end = at + 0.1 + random() * 2;
    free[client] = end;
    planned.push({ client, begin, at, end, kind: random() });
  }
  const last = Math.max(...free) + lagMs + 150;
  for (let index = 0; index < 4; index += 1)
    planned.push({
      client: 0,
      begin: last + index,
      at: last + index + 0.2,
      end: last + index + 0.5,
      kind: 1 + index,
    });
  planned.unshift({ client: 0, begin: epoch - 5, at: epoch - 4, end: epoch - 3, kind: 3 });

  const put = (
    { client, begin, end }: (typeof planned)[number],
    operation: OperationId,
    path: string,
    { sent = null, body, isLost = false }: { sent?: object | null; body: object; isLost?: boolean },
  ): void => {
    const exchange: Exchange = {
      operation,
      account: "account 1",
      started_at: Math.round(begin),
      duration_ms: end - begin,
      request: {
        method: sent === null ? "GET" : "POST",
        url: `http://s/api/v1${path}`,
        headers: {},
        body: sent === null ? null : JSON.stringify(sent),
      },
      response: isLost ? null : { status: 200, headers: {}, body: JSON.stringify(body) },
      error: isLost ? "cut" : null,
    };
    simulation.alter?.(exchange, taken.length);
    taken.push({ exchange, when: { reader: `reader ${client}`, begin, end } });
  };
  const list = (
    operation: "listLedger" | "listUsage",
    act: (typeof planned)[number],
    page: number,
    size: number,
  ): void => {
    let count = charges.length;
    while (count > 0 && charges[count - 1]!.at + lagMs > act.at) count -= 1;
    // A long history is not copied for each of its reads.
    const visible = simulation.sees?.(charges.slice(0, count), {
      client: act.client,
      begin: act.begin,
      operation,
    });
    const [source, total] = [visible ?? charges, visible?.length ?? count];
    const items = source
      .slice(Math.max(0, total - page * size), Math.max(0, total - (page - 1) * size))
      .map(({ entry, event }) => (operation === "listLedger" ? entry : event))
      .reverse();
    const sum =
      visible === undefined
        ? -(sums[count] ?? 0) / 1e6
        : visible.reduce((whole, { entry }) => whole + Number(entry["amount_credits"]), 0);
    const summary =
      operation === "listLedger"
        ? { total_entries: total, net_amount_credits: sum }
        : { total_count: total, settled_credits: -sum };
    const query = `?page=${page}&page_size=${size}&summary=true&start_date=2026-01-01&end_date=2027-01-01`;
    put(
      act,
      operation,
      `/auth/${operation === "listLedger" ? "credits/ledger" : "usage/history/v2"}${query}`,
      {
        body: { status: "success", message: "", data: { items, total, page, page_size: size, summary } },
      },
    );
  };
  for (const act of planned.sort((first, second) => first.at - second.at)) {
    const number = taken.length;
    if (act.kind < 0.4) {
      const isLost = random() < lost;
      const session = `session-${number}`;
      const amount = [1, 0.25, 3][number % 3]!;
      const isFree = number % 7 === 0;
      const happens = !isLost || random() < 0.5;
      const make = (): Charge => {
        const before = balance / 1e6;
        balance -= amount * 1e6;
        const created_at = new Date(act.at).toISOString();
        const execution_id = namesCalls ? `execution-${number}` : null;
        const balances = hasBalances
          ? {
              balance_before: { total_available_credits: before },
              balance_after: { total_available_credits: balance / 1e6 },
            }
          : {};
        return {
          at: act.at,
          entry: {
            id: `entry-${charges.length}`,
            entry_type: "consume_tool_execute",
            amount_credits: -amount,
            execution_id,
            created_at,
            ...balances,
          },
          event: {
            id: `event-${charges.length}`,
            event_type: "tool_execute",
            execution_id,
            session_id: namesCalls ? session : null,
            settled_amount_credits: amount,
            credits_ledger_entry_id: `entry-${charges.length}`,
            charge_outcome: "charged",
            created_at,
          },
        };
      };
      if (happens && !isFree) {
        const made = [make()];
        for (const charge of simulation.charges?.(made, { session, lost: isLost }) ?? made) {
          charges.push(charge);
          sums.push(sums.at(-1)! - Math.round(Number(charge.entry["amount_credits"]) * 1e6));
        }
      }
      const cost = isFree ? 0 : amount;
      put(act, "call", "/tools/execute", {
        sent: { tool_id: isFree ? "free" : `tool-${number % 3}`, session_id: session },
        body: {
          execution_id: `execution-${number}`,
          success: !isFree,
          cost,
          remaining_credits: balance / 1e6,
        },
        isLost,
      });
    } else if (act.kind === 3 || act.kind < 0.55 || !hasLists) {
      put(act, "getCredits", "/auth/credits", {
        body: { status: "success", message: "", data: { remaining_credits: balance / 1e6 } },
      });
    } else if (act.kind >= 1) list(act.kind === 1 ? "listLedger" : "listUsage", act, 1, 1_000_000);
    else list(act.kind < 0.8 ? "listLedger" : "listUsage", act, act.kind < 0.95 ? 1 : 2, pageSize);
  }
  return { taken, restFrom: last - 1 };
}
