import { fromReplica, type Served } from "../../changes/replica.ts";
import { variationsOf, type Change, type Variation } from "../../changes/mutant.ts";

/** How late reads are, in milliseconds: less than the profile's `audit_lag`. */
const lateMs = 700;

const rows: readonly Served[] = ["events", "entries"];
const all: readonly Served[] = [...rows, "sums", "balances"];

/** A server whose clock differs from its judge's. */
const clockAhead = (ms: number): Change => ({
  parts: (parts) => {
    parts.clock.advance?.(ms);
    return parts;
  },
});

/** Servers whose reads are late, each by less than `audit_lag`, or whose clock is another. */
export const lateVariations: readonly Variation[] = variationsOf({
  "audit_lag: the contract promises no instant for usage and ledger rows": {
    "reads rows, sums and balance in one process of three from a replica behind": fromReplica({
      lateMs,
      serves: all,
      oneOf: 3,
    }),
    "reads rows in one process of three from a replica behind": fromReplica({
      lateMs,
      serves: rows,
      oneOf: 3,
    }),
    "renews sums a while after the rows": fromReplica({ lateMs, serves: ["sums"] }),
    "reads sums in one process of three from a replica behind": fromReplica({
      lateMs,
      serves: ["sums"],
      oneOf: 3,
    }),
    "reads balances in one process of three from a replica behind": fromReplica({
      lateMs,
      serves: ["balances"],
      oneOf: 3,
    }),
    "reads everything from a replica behind": fromReplica({ lateMs, serves: all }),
    "shows usage events a while after the ledger entries": fromReplica({ lateMs, serves: ["events"] }),
    "shows ledger entries a moment after the usage events that link to them": fromReplica({
      lateMs,
      serves: ["entries"],
    }),
  },
  "created_at | timestamp: nothing says how close a server's clock is to its client's": {
    "runs three seconds ahead of its client": clockAhead(3_000),
    "runs three seconds behind its client": clockAhead(-3_000),
  },
});
