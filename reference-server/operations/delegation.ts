import { forbidden } from "../http/errors.ts";
import type { Credential } from "../parts.ts";

/**
 * Checks a request against the constraints of its delegation token (contract: Authentication 5).
 * @throws HttpError 403 if `run_id` or `provider_id` is missing or differs from the token's
 */
export function assertDelegated(
  { runId, providerId }: NonNullable<Credential["delegation"]>,
  given: { run_id?: string; provider_id?: string },
): void {
  for (const [name, value, right] of [
    ["run_id", given.run_id, runId],
    ["provider_id", given.provider_id, providerId],
  ] as const) {
    if (value === undefined) throw forbidden(`The delegation token needs ${name}, which is missing.`);
    if (value !== right) throw forbidden(`The delegation token does not allow this ${name}.`);
  }
}
