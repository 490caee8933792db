// Written by `npm run generate` from spec/. Do not edit.

import type { Operations } from "../http/operation.ts";
import { call } from "./call.ts";
import { discover } from "./discover.ts";
import { exportLedger } from "./export-ledger.ts";
import { exportUsage } from "./export-usage.ts";
import { getCapability } from "./get-capability.ts";
import { getCredits } from "./get-credits.ts";
import { getCreditsSpent } from "./get-credits-spent.ts";
import { getLedgerEntry } from "./get-ledger-entry.ts";
import { getLedgerReadiness } from "./get-ledger-readiness.ts";
import { getUsageEvent } from "./get-usage-event.ts";
import { inspect } from "./inspect.ts";
import { listLedger } from "./list-ledger.ts";
import { listSettlements } from "./list-settlements.ts";
import { listUsage } from "./list-usage.ts";
import { listUsageFeed } from "./list-usage-feed.ts";
import { probe } from "./probe.ts";
import { queryCapability } from "./query-capability.ts";
import { registerAnonymous } from "./register-anonymous.ts";
import { startClaim } from "./start-claim.ts";
import { verifyClaim } from "./verify-claim.ts";
import { verifyToken } from "./verify-token.ts";

/** Every operation of the spec with the function that answers it. */
export const operations: Operations = {
  discover,
  inspect,
  probe,
  call,
  queryCapability,
  getCapability,
  registerAnonymous,
  startClaim,
  verifyClaim,
  getCredits,
  listLedger,
  exportLedger,
  getLedgerEntry,
  getLedgerReadiness,
  listSettlements,
  getCreditsSpent,
  listUsage,
  exportUsage,
  listUsageFeed,
  getUsageEvent,
  verifyToken,
};
