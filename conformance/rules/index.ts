import { openOperations, type OperationId } from "../operations.ts";
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
import { envelopes, general } from "./general.ts";
import { limits } from "./limits.ts";
import type { Rule } from "./rule.ts";
import { secrets } from "./secrets.ts";
import { envelopeOperations } from "./seen.ts";

/** The rules, and the operations on whose answers they can have something to say; null: on any. */
const areas: readonly (readonly [operations: readonly OperationId[] | null, rules: readonly Rule[]])[] = [
  [null, general],
  [envelopeOperations, envelopes],
  [null, errors],
  [null, limits],
  [null, secrets],
  [["discover", "inspect"], discoverFields],
  [["inspect"], inspectFields],
  [["probe"], probeFields],
  [["call"], callFields],
  [["call"], resultsFields],
  [["queryCapability", "getCapability"], capabilitiesFields],
  [["listUsage", "getUsageEvent"], billingFields],
  [["listUsage", "getUsageEvent"], usageFields],
  [["listUsage"], usageSummaryFields],
  [["listUsageFeed"], usageFeedFields],
  [["listLedger", "getLedgerEntry"], ledgerFields],
  [["listLedger"], ledgerSummaryFields],
  [["getCreditsSpent", "getLedgerReadiness"], accountFields],
  [openOperations, trialFields],
  [["exportUsage"], exportsFields],
];

/** Every rule of the suite: what holds everywhere, then the fields of each answer. */
export const rules: readonly Rule[] = areas.flatMap(([, some]) => some);

const known = new Map<string, readonly Rule[]>();

/**
 * The rules that can have something to say about an operation's answers of one status; all others judge `null`. Whoever
 * judges many exchanges need not ask those.
 */
export function speakingTo(operation: OperationId | null, status: number): readonly Rule[] {
  const name = `${operation} ${status}`;
  let speaking = known.get(name);
  if (speaking === undefined) {
    const among = areas.filter(
      ([operations]) => operations === null || (operation !== null && operations.includes(operation)),
    );
    speaking = among
      .flatMap(([, some]) => some)
      .filter(({ statuses }) => statuses === undefined || statuses.includes(status))
      .filter(
        ({ field }) =>
          field === undefined ||
          (operation !== null && field.operations.includes(operation) && field.status === status),
      );
    known.set(name, speaking);
  }
  return speaking;
}
