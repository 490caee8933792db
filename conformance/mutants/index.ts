import { fieldMutants } from "./fields.ts";
import type { Mutant } from "./mutant.ts";
import { account } from "./account.ts";
import { auth } from "./auth.ts";
import { billing } from "./billing.ts";
import { billingStages } from "./billing-stages.ts";
import { call } from "./call.ts";
import { callRequest } from "./call-request.ts";
import { claim } from "./claim.ts";
import { capabilities } from "./capabilities.ts";
import { discover } from "./discover.ts";
import { discoverQueries } from "./discover-queries.ts";
import { errors } from "./errors.ts";
import { general } from "./general.ts";
import { inspect } from "./inspect.ts";
import { insufficientCredits } from "./insufficient-credits.ts";
import { inspectContracts } from "./inspect-contracts.ts";
import { ledger } from "./ledger.ts";
import { ledgerFilters } from "./ledger-filters.ts";
import { ledgerExport } from "./ledger-export.ts";
import { ledgerSummary } from "./ledger-summary.ts";
import { limits } from "./limits.ts";
import { probe } from "./probe.ts";
import { remaining } from "./remaining.ts";
import { projections } from "./projections.ts";
import { results } from "./results.ts";
import { trial } from "./trial.ts";
import { usage } from "./usage.ts";
import { usageList } from "./usage-list.ts";
import { usageFilters } from "./usage-filters.ts";
import { usageExport } from "./usage-export.ts";
import { usageFeed } from "./usage-feed.ts";
import { usageSummary } from "./usage-summary.ts";
import { versioning } from "./versioning.ts";

/** Every mutant, area by area, in the order of the contract. */
export const mutants: readonly Mutant[] = [
  ...general,
  ...errors,
  ...discover,
  ...discoverQueries,
  ...inspect,
  ...inspectContracts,
  ...probe,
  ...call,
  ...callRequest,
  ...results,
  ...projections,
  ...capabilities,
  ...billing,
  ...remaining,
  ...insufficientCredits,
  ...billingStages,
  ...usage,
  ...usageList,
  ...usageFilters,
  ...usageSummary,
  ...usageFeed,
  ...usageExport,
  ...ledger,
  ...ledgerFilters,
  ...ledgerSummary,
  ...ledgerExport,
  ...account,
  ...trial,
  ...claim,
  ...auth,
  ...limits,
  ...versioning,
  ...fieldMutants,
];
