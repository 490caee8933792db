import type { Check } from "../check.ts";
import { account } from "./account.ts";
import { accountWalk } from "./account-walk.ts";
import { auth } from "./auth.ts";
import { billing } from "./billing.ts";
import { billingOutcomes } from "./billing-outcomes.ts";
import { call } from "./call.ts";
import { chargedCrowd } from "./charged-crowd.ts";
import { claim } from "./claim.ts";
import { callParameters } from "./call-parameters.ts";
import { capabilities } from "./capabilities.ts";
import { discover } from "./discover.ts";
import { discoverResults } from "./discover-results.ts";
import { errors } from "./errors.ts";
import { general } from "./general.ts";
import { inspect } from "./inspect.ts";
import { ledger } from "./ledger.ts";
import { ledgerFilters } from "./ledger-filters.ts";
import { ledgerExport } from "./ledger-export.ts";
import { ledgerSummary } from "./ledger-summary.ts";
import { limits } from "./limits.ts";
import { probe } from "./probe.ts";
import { projections } from "./projections.ts";
import { remaining } from "./remaining.ts";
import { results } from "./results.ts";
import { settlementHistory } from "./settlements.ts";
import { trial } from "./trial.ts";
import { usage } from "./usage.ts";
import { usageExport } from "./usage-export.ts";
import { usageFeed } from "./usage-feed.ts";
import { usageSummary } from "./usage-summary.ts";
import { versioning } from "./versioning.ts";

/** Every check of the suite, area by area, in the order of the contract. */
export const checks: readonly Check[] = [
  ...general,
  ...errors,
  ...discover,
  ...discoverResults,
  ...inspect,
  ...probe,
  ...call,
  ...callParameters,
  ...results,
  ...projections,
  ...capabilities,
  ...billing,
  ...billingOutcomes,
  ...remaining,
  ...usage,
  ...usageSummary,
  ...usageFeed,
  ...usageExport,
  ...ledger,
  ...ledgerFilters,
  ...ledgerSummary,
  ...ledgerExport,
  ...account,
  ...settlementHistory,
  ...chargedCrowd,
  ...accountWalk,
  ...trial,
  ...claim,
  ...auth,
  ...limits,
  ...versioning,
];
