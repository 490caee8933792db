import { fromReplica } from "../../changes/replica.ts";
import { variationsOf, type Variation } from "../../changes/mutant.ts";

/** How late reads are, in milliseconds: less than the profile's `audit_lag`. */
const lateMs = 700;

/** Servers whose reads are late, each by less than `audit_lag`. */
export const lateVariations: readonly Variation[] = variationsOf({
  "audit_lag: the contract promises no instant for usage and ledger rows": {
    "reads rows, sums and balance in one process of three from a replica behind": fromReplica({
      lateMs,
      serves: ["rows", "sums", "balances"],
      oneOf: 3,
    }),
    "reads rows in one process of three from a replica behind": fromReplica({
      lateMs,
      serves: ["rows"],
      oneOf: 3,
    }),
    "renews sums a while after the rows": fromReplica({ lateMs, serves: ["sums"] }),
    "reads balances in one process of three from a replica behind": fromReplica({
      lateMs,
      serves: ["balances"],
      oneOf: 3,
    }),
    "reads everything from a replica behind": fromReplica({ lateMs, serves: ["rows", "sums", "balances"] }),
  },
});
