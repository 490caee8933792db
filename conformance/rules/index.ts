import { errors } from "./errors.ts";
import { accountFields } from "./fields/account.ts";
import { billingFields } from "./fields/billing.ts";
import { callFields } from "./fields/call.ts";
import { capabilitiesFields } from "./fields/capabilities.ts";
import { discoverFields } from "./fields/discover.ts";
import { exportsFields } from "./fields/exports.ts";
import { inspectFields } from "./fields/inspect.ts";
import { ledgerFields } from "./fields/ledger.ts";
import { ledgerSummaryFields } from "./fields/ledger-summary.ts";
import { probeFields } from "./fields/probe.ts";
import { resultsFields } from "./fields/results.ts";
import { trialFields } from "./fields/trial.ts";
import { usageFeedFields } from "./fields/usage-feed.ts";
import { usageFields } from "./fields/usage.ts";
import { usageSummaryFields } from "./fields/usage-summary.ts";
import { general } from "./general.ts";
import { limits } from "./limits.ts";
import type { Rule } from "./rule.ts";
import { secrets } from "./secrets.ts";

/** Every rule of the suite: what holds everywhere, then the fields of each answer. */
export const rules: readonly Rule[] = [
  ...general,
  ...errors,
  ...limits,
  ...secrets,
  ...discoverFields,
  ...inspectFields,
  ...probeFields,
  ...callFields,
  ...resultsFields,
  ...capabilitiesFields,
  ...billingFields,
  ...usageFields,
  ...usageSummaryFields,
  ...usageFeedFields,
  ...ledgerFields,
  ...ledgerSummaryFields,
  ...accountFields,
  ...trialFields,
  ...exportsFields,
];
