import type { ReasonCode } from "../../generated/contract.ts";
import type { Tool } from "../catalog/tool.ts";
import { isDeeperThan } from "../nesting.ts";
import type { Execution } from "../parts.ts";

/** What came back from a provider, as far as HTTP is concerned. */
export type Answer =
  /** Status and body; `text` is undefined when the body could not be read to its end. */
  | { kind: "answered"; status: number; text: string | undefined }
  /** Not within the tool's time. */
  | { kind: "timeout" }
  /** The connection was reset or closed before an answer. */
  | { kind: "closed" }
  /** No connection, or what came over it is no HTTP. */
  | { kind: "failed" };

/** An answer as the table below looks at it. */
interface Seen {
  answer: Answer;
  status: number;
  /** Whether a 2xx body is JSON. */
  readable: boolean;
  /** The provider's own error, when a 2xx body holds one. */
  error: unknown;
  payload: unknown;
  /** What units are counted in; undefined when the tool does not say, or the answer has none. */
  rows: unknown;
  partial: boolean;
}

/** The member at a dotted path; undefined where there is none. */
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

/** Levels of arrays and objects that an answer may have: more than any honest one, fewer than a stack holds. */
const mostLevels = 200;

/** A 2xx without a body is an empty payload; JSON otherwise, or unreadable. */
function parse(text: string | undefined): { readable: boolean; body?: unknown } {
  if (text === undefined) return { readable: false };
  if (text.trim() === "") return { readable: true };
  try {
    const body: unknown = JSON.parse(text);
    return isDeeperThan(mostLevels, body) ? { readable: false } : { readable: true, body };
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

/** One way that an execution can end. The first row that holds is the reason. */
interface Row {
  reason: ReasonCode;
  holds(seen: Seen, tool: Tool): boolean;
  /** The recorded success. */
  success: boolean;
  /** What people are told; upstream addresses and texts stay inside. */
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

/** How many units of the tool's price are in the result. */
function count(tool: Tool, rows: unknown, success: boolean): number {
  if ((tool.billing_rule?.unit ?? "request") === "request") return 1;
  if (!success) return 0;
  return Array.isArray(rows) ? rows.length : 1;
}

/** The provider's own words on its error, when it gave some: one line, at most 200 characters. */
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

/** What an answer means: the one place where reason codes of executions are decided (contract: `reason_code` values). */
export function outcomeOf(tool: Tool, answer: Answer, durationMs: number): Execution {
  const seen = look(tool, answer);
  const row = table.find(({ holds }) => holds(seen, tool));
  if (row === undefined) throw new Error("the last row of the table holds always");
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
