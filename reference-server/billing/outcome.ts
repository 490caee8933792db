import { chargeOutcomes, type ChargeOutcome, type ReasonCode } from "../../generated/contract.ts";
import type { Micro } from "./money.ts";

/**
 * The final charge classification, a function of effective success and settled amount only (contract: Usage event,
 * `charge_outcome` values).
 */
export const chargeOutcome = (billableSuccess: boolean, settled: Micro): ChargeOutcome =>
  chargeOutcomes.find((outcome) => ends[outcome](billableSuccess, settled > 0))!;

/** The final state of a request for each outcome: every request has exactly one. */
const ends: Readonly<Record<ChargeOutcome, (isSuccess: boolean, isPositive: boolean) => boolean>> = {
  charged: (isSuccess, isPositive) => isSuccess && isPositive,
  included: (isSuccess, isPositive) => isSuccess && !isPositive,
  failed_not_charged: (isSuccess, isPositive) => !isSuccess && !isPositive,
  failed_charged_review: (isSuccess, isPositive) => !isSuccess && isPositive,
};

/** The billing properties of a reason code. */
interface Reason {
  /** Effective success; for `partial`, the tool's billing rule decides. */
  effective: "success" | "partial" | "failure";
  /** Whether the provider was asked: if not, nothing is charged, whatever the rule. */
  executed: boolean;
}

const failed = (executed: boolean): Reason => ({ effective: "failure", executed });

/** The contract's table of reason codes (Usage event, `reason_code` values). */
export const reasons: Readonly<Record<ReasonCode, Reason>> = {
  "result.valid": { effective: "success", executed: true },
  "result.partial_success": { effective: "partial", executed: true },
  "result.empty": failed(true),
  "provider.error": failed(true),
  "provider.http_error": failed(true),
  "provider.rate_limited": failed(true),
  "provider.auth_or_permission": failed(true),
  "transport.timeout": failed(true),
  "transport.no_response": failed(true),
  "transport.execution_failed": failed(true),
  validation_error: failed(false),
  tool_unavailable: failed(false),
  region_restricted: failed(false),
  oauth_signin_required: failed(false),
};
