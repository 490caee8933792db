import type { ReasonCode } from "../../generated/contract.ts";
import type { Tool } from "../catalog/tool.ts";
import type { Execution } from "../parts.ts";

/** The response of a provider at the HTTP level. */
export type Answer =
  /** Status and body; `text` is undefined if the body could not be read completely. */
  | { kind: "answered"; status: number; text: string | undefined }
  /** No answer within the tool's time. */
  | { kind: "timeout" }
  /** The connection was reset or closed before an answer. */
  | { kind: "closed" }
  /** No connection, or the response is not HTTP. */
  | { kind: "failed" }
  /** An answer for which this server has no room at present. */
  | { kind: "crowded" };

/** An answer in the form that the table below examines. */
interface Seen {
  answer: Answer;
  status: number;
  /** Whether a 2xx body is JSON. */
  readable: boolean;
  /** The provider's own error in a 2xx body, if any. */
  error: unknown;
  payload: unknown;
  /** The units to be counted; undefined if the tool does not define them, or the answer has none. */
  rows: unknown;
  partial: boolean;
}

/** The member at a dotted path; undefined if there is none. */
function member(value: unknown, path: string | undefined): unknown {
  if (path === undefined) return value;
  let current = value;
  for (const step of path.split(".")) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, step)) return undefined;
    current = Reflect.get(current, step);
  }
  return current;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return true;
  if (typeof value !== "object") return false;
  return Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0;
}

/** A 2xx without a body has an empty payload; any other body is JSON or unreadable. */
function parse(text: string | undefined): { readable: boolean; body?: unknown } {
  if (text === undefined) return { readable: false };
  if (text.trim() === "") return { readable: true };
  try {
    return { readable: true, body: JSON.parse(text) };
  } catch {
    return { readable: false };
  }
}

function look({ mapping }: Tool, answer: Answer): Seen {
  const answered = answer.kind === "answered";
  const status = answered ? answer.status : 0;
  const good = status >= 200 && status < 300;
  const { readable, body } = answered && good ? parse(answer.text) : { readable: false };
  const payload = member(body, mapping.data);
  const error = Array.isArray(body) ? undefined : member(body, mapping.error ?? "error");
  return {
    answer,
    status,
    readable,
    error: typeof body === "object" ? error : undefined,
    payload,
    rows: member(payload, mapping.rows),
    partial: mapping.partial !== undefined && Boolean(member(body, mapping.partial)),
  };
}

/** One possible end of an execution. The first matching row determines the reason. */
interface Row {
  reason: ReasonCode;
  holds(seen: Seen, tool: Tool): boolean;
  /** The recorded success. */
  success: boolean;
  /** The message for people, without upstream addresses and texts. */
  message: string | null;
}

const table: readonly Row[] = [
  {
    reason: "transport.timeout",
    holds: ({ answer }) => answer.kind === "timeout",
    success: false,
    message: "The provider did not answer in time.",
  },
  {
    reason: "transport.no_response",
    holds: ({ answer }) => answer.kind === "closed",
    success: false,
    message: "The provider closed the connection without an answer.",
  },
  {
    reason: "transport.execution_failed",
    holds: ({ answer }) => answer.kind === "failed",
    success: false,
    message: "The provider could not be reached.",
  },
  {
    reason: "transport.execution_failed",
    holds: ({ answer }) => answer.kind === "crowded",
    success: false,
    message: "This server has no room for the provider's answer at present; try again later.",
  },
  {
    reason: "provider.rate_limited",
    holds: ({ status }) => status === 429,
    success: false,
    message: "The provider limits how often it answers; try again later.",
  },
  {
    reason: "provider.auth_or_permission",
    holds: ({ status }) => status === 401 || status === 403,
    success: false,
    message: "The provider refused the service's credentials or permission.",
  },
  {
    reason: "provider.http_error",
    holds: ({ status }) => status < 200 || status > 299,
    success: false,
    message: "The provider answered with an HTTP error.",
  },
  {
    reason: "transport.execution_failed",
    holds: ({ readable }) => !readable,
    success: false,
    message: "The provider's answer could not be read.",
  },
  {
    reason: "provider.error",
    holds: ({ error }) => error !== false && !isEmpty(error),
    success: false,
    message: "The provider reported an error.",
  },
  {
    reason: "result.empty",
    holds: ({ payload, rows }, { mapping }) =>
      isEmpty(payload) || (mapping.rows !== undefined && isEmpty(rows)),
    success: false,
    message: "The provider returned no usable result.",
  },
  { reason: "result.partial_success", holds: ({ partial }) => partial, success: true, message: null },
  { reason: "result.valid", holds: () => true, success: true, message: null },
];

/** The number of the tool's billable units in the result. */
function count(tool: Tool, rows: unknown, success: boolean): number {
  if ((tool.billing_rule?.unit ?? "request") === "request") return 1;
  if (!success) return 0;
  return Array.isArray(rows) ? rows.length : 1;
}

/** The provider's own error text, if any: one line, at most 200 characters. */
function ownWords(error: unknown, tool: Tool): string | undefined {
  const said = typeof error === "string" ? error : member(error, "message");
  if (typeof said !== "string") return undefined;
  const secrets = Object.values(tool.upstream.headers ?? {}).flatMap((value) => value.split(/\s+/));
  const masked = secrets
    .filter((secret) => secret.length >= 6)
    .reduce((text, secret) => text.replaceAll(secret, "***"), said);
  const line = masked.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
  return line === "" ? undefined : line.slice(0, 200);
}

/**
 * Interprets an answer: the only place that decides the reason codes of executions (contract: `reason_code` values).
 */
export function outcomeOf(tool: Tool, answer: Answer, durationMs: number): Execution {
  const seen = look(tool, answer);
  const row = table.find(({ holds }) => holds(seen, tool));
  if (row === undefined) throw new Error("the last row of the table always matches");
  const { reason, success } = row;
  const usable = seen.payload !== undefined && (success || reason === "result.empty");
  const words = reason === "provider.error" ? ownWords(seen.error, tool) : undefined;
  const status =
    reason === "provider.http_error" ? `The provider answered with HTTP status ${seen.status}.` : undefined;
  return {
    reason,
    success,
    ...(usable ? { data: seen.payload } : {}),
    statusCode: seen.status === 0 ? null : seen.status,
    message: words === undefined ? (status ?? row.message) : `The provider reported an error: ${words}`,
    quantity: count(tool, seen.rows, success),
    durationMs,
  };
}
