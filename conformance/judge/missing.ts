import { responseHeaders } from "../../generated/contract.ts";
import type { Seen } from "./seen.ts";

const versionHeader = responseHeaders.apiVersion.toLowerCase();

/** The parts of an exchange that a recording may omit, and how a report names them. */
export const parts = {
  sent: "the body of the request",
  headers: "the headers of the answer",
  body: "the body of the response",
  duration: "the duration",
  clock: "the time of day",
} as const;
export type Part = keyof typeof parts;

/** What a recording omits of an exchange. */
export type Missing = ReadonlySet<Part>;
export const nothingMissing: Missing = new Set();

/** Thrown where a rule needs what the recording omits: the rule then does not apply. */
export class NotRecorded extends Error {
  constructor(part: Part) {
    super(`not recorded: ${parts[part]}`);
  }
}

/** A copy with members that throw if their values were not recorded. */
function guarded<Value extends object>(
  value: Value,
  missing: Missing,
  places: Partial<Record<keyof Value, Part>>,
): Value {
  const copy = { ...value };
  for (const [name, part] of Object.entries(places) as [keyof Value, Part][]) {
    if (!missing.has(part)) continue;
    const get = (): never => {
      throw new NotRecorded(part);
    };
    Object.defineProperty(copy, name, { get, enumerable: true });
  }
  return copy;
}

/** An exchange with only its recorded parts readable, so that each rule that needs no more still applies. */
export function recordedPartOf(seen: Seen, missing: Missing): Seen {
  if (missing.size === 0) return seen;
  const { exchange, headers } = seen;
  const response = exchange.response;
  const parted = {
    ...exchange,
    request: guarded(exchange.request, missing, { body: "sent" }),
    response: response && guarded(response, missing, { headers: "headers", body: "body" }),
  };
  const whole: Seen = {
    ...seen,
    exchange: guarded(parted, missing, { started_at: "clock", duration_ms: "duration" }),
    // Without its body, an answer is known by the header that no other API sends.
    recognised: seen.recognised || (missing.has("body") && versionHeader in headers),
  };
  return guarded(whole, missing, { sent: "sent", headers: "headers", body: "body" });
}
