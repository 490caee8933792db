import type { Exchange } from "../../judge/exchange.ts";
import type { Judgement } from "../../judge/rule.ts";
import { isFields, type Seen } from "../../judge/seen.ts";
import { brief, crossing, type Crossing, type Ending, type Passing } from "../../judge/crossing.ts";
import { Recent } from "../../judge/recent.ts";

/** A Call whose outcome must be looked up, and the reads that followed it. */
interface Open {
  exchange: Exchange;
  executionId: string;
  ended: number;
  usageAt: number | null;
  ledgerAt: number | null;
}

const maxOpen = 5000;

/** Tracks every Call with an execution_id and the reads after it. */
function readsAfterCalls(): {
  see: (exchange: Exchange, executionId: string | null, ended: number) => void;
  usage: (account: string | null, at: number, executionId: string | null) => boolean;
  ledger: (account: string | null, at: number) => void;
  open: () => Open[];
} {
  const calls = new Recent<string, Open>(maxOpen);
  const of = (account: string | null, at: number): Open[] =>
    calls.values().filter(({ exchange, ended }) => exchange.account === account && ended <= at);
  // Only its answer shows a client an execution's id: a read that names it follows the Call, whatever the clocks say.
  const named = (account: string | null, executionId: string): Open[] => {
    const call = calls.get(executionId);
    return call?.exchange.account === account ? [call] : [];
  };
  return {
    see: (exchange, executionId, ended) => {
      if (executionId === null) return;
      const open = { exchange: brief(exchange), executionId, ended, usageAt: null, ledgerAt: null };
      calls.set(executionId, open);
    },
    usage: (account, at, executionId) => {
      const found = executionId === null ? of(account, at) : named(account, executionId);
      for (const call of found) call.usageAt ??= at;
      return found.length > 0;
    },
    ledger: (account, at) => {
      for (const call of of(account, at)) call.ledgerAt = at;
    },
    open: () => calls.values(),
  };
}

/** The execution id in an answer; a Call refused with another status was not executed. */
function executionOf(seen: Seen | null): string | null {
  const id = seen?.status === 200 && isFields(seen.body) ? seen.body["execution_id"] : undefined;
  return typeof id === "string" && id !== "" ? id : null;
}

/** The execution that a read of the usage audit requests, known from the address even if the answer is omitted. */
const lookedUp = ({ request }: Exchange): string | null =>
  URL.canParse(request.url) ? new URL(request.url).searchParams.get("execution_id") || null : null;

/** A client looks up the cost of its Calls: first in the usage audit, then in the ledger. */
export const clientRules: Crossing[] = [
  crossing("FLOW-22", "a Call is looked up in the usage audit by its execution_id", (recording) => {
    const reads = readsAfterCalls();
    const follow = ({ exchange, seen, lost, ended }: Passing): Judgement => {
      const { operation, account, started_at: at } = exchange;
      if (operation === "call") reads.see(exchange, executionOf(seen), ended);
      const executionId = operation === "listUsage" && !lost ? lookedUp(exchange) : null;
      if (executionId === null) return null;
      return reads.usage(account, at, executionId) ? true : null;
    };
    function* end(): Generator<Ending> {
      if (!recording.complete) return;
      for (const { exchange, executionId, usageAt } of reads.open()) {
        if (usageAt !== null) continue;
        const expected = `a read of the usage audit with execution_id=${executionId}`;
        yield { exchange, judgement: { expected, received: "none until the end of the recording" } };
      }
    }
    return { follow, end };
  }),
  crossing("FLOW-23", "the ledger is read after the usage audit, not instead of it", (recording) => {
    const reads = readsAfterCalls();
    const follow = ({ exchange, seen, ended }: Passing): Judgement => {
      const { operation, account, started_at: at } = exchange;
      if (operation === "call") reads.see(exchange, executionOf(seen), ended);
      if (operation === "listUsage" || operation === "getUsageEvent") {
        reads.usage(account, at, lookedUp(exchange));
      }
      if (operation === "listLedger" || operation === "getLedgerEntry") reads.ledger(account, at);
      return null;
    };
    function* end(): Generator<Ending> {
      if (!recording.complete) return;
      for (const { exchange, executionId, usageAt, ledgerAt } of reads.open()) {
        if (ledgerAt === null) continue;
        const kept = usageAt !== null && usageAt <= ledgerAt;
        const expected = `the usage audit of ${executionId} before the ledger`;
        const received = usageAt === null ? "only the ledger" : "the ledger first, and not again";
        yield { exchange, judgement: kept || { expected, received } };
      }
    }
    return { follow, end };
  }),
];
