import type { EventType, ReasonCode } from "../../generated/contract.ts";
import { unpriced, type MoneyFields } from "../billing/statement.ts";
import { clipped } from "../clipped.ts";
import type { Caller } from "../parts.ts";
import type { NewUsageEvent } from "../records.ts";

/** The request data that an operation records. */
export interface Recording {
  caller: Caller;
  eventType: EventType;
  /** The subject of the event, for people. */
  displayTarget: string;
  durationMs: number;
  sessionId?: string | null | undefined;
  searchId?: string | null | undefined;
  executionId?: string;
  toolId?: string | null;
  capabilityId?: string;
  model?: string | undefined;
  query?: string;
  success: boolean;
  errorMessage?: string | null;
  request: Record<string, unknown>;
  response: Record<string, unknown>;
}

/** The most bytes of a stored request summary; a larger one keeps its plain values, with long texts shortened. */
const storedRequestLimit = 8_192;
/** The most characters of a text in a stored event. */
const storedTextLimit = 2_000;

const stored = (text: string | null): string | null =>
  text === null ? null : clipped(text, storedTextLimit);

/** A usage event without a price, in the form that the books take; `money` holds the fields of a priced one. */
export function usageEvent(recording: Recording, money: MoneyFields | ReasonCode): NewUsageEvent {
  const { caller, success, errorMessage = null } = recording;
  const { apiKeyId, oauthClientId, type } = caller.credential;
  return {
    account_id: caller.account.id,
    event_type: recording.eventType,
    source_system: "api",
    source_ref_type: recording.executionId === undefined ? "search" : "execution",
    source_ref_id: recording.executionId ?? recording.searchId ?? null,
    session_id: recording.sessionId ?? null,
    search_id: recording.searchId ?? null,
    execution_id: recording.executionId ?? null,
    tool_id: recording.toolId ?? null,
    capability_id: recording.capabilityId ?? null,
    model: recording.model ?? null,
    query: recording.query ?? null,
    api_key_id: apiKeyId,
    api_key_attribution_status: apiKeyId === null ? "not_applicable" : "attributed",
    credential_type: type,
    oauth_client_id: oauthClientId,
    success,
    error_message: stored(errorMessage),
    duration_ms: recording.durationMs,
    request_payload: storedRequest(recording.request),
    response_payload_summary: recording.response,
    execution_outcome: null,
    outcome: null,
    outcome_message: null,
    display_target: recording.displayTarget,
    ...(typeof money === "string" ? unpriced(money) : money),
  };
}

function storedRequest(request: Record<string, unknown>): Record<string, unknown> {
  const bytes = Buffer.byteLength(JSON.stringify(request));
  if (bytes <= storedRequestLimit) return request;
  const kept = Object.entries(request)
    .filter(([, value]) => typeof value !== "object")
    .map(([name, value]) => [name, typeof value === "string" ? stored(value) : value]);
  return { ...Object.fromEntries(kept), omitted_bytes: bytes };
}
