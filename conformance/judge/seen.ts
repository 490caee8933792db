import { isObject, kept } from "../../base/data.ts";
import { jsonOf, sentJson, type Exchange } from "./exchange.ts";
import { answers, envelopeOperations, responseHeaders, type OperationId } from "../../generated/contract.ts";

type Fields = Record<string, unknown>;

/** A request as rules see it; a client that repeats a request parses it once. */
export interface Asked {
  /** The request's JSON object; empty when the body is not one. */
  sent: Fields;
  query: URLSearchParams;
}

/** An answered exchange as rules see it: parsed once, with the fields that rules use most. */
export interface Seen extends Asked {
  exchange: Exchange;
  operation: OperationId | null;
  status: number;
  /** Response headers by lower-case name. */
  headers: Record<string, string>;
  /** The answer's JSON; undefined when it is not JSON. */
  body: unknown;
  /** The answer recognisably comes from this API: see `recognised`. */
  recognised: boolean;
}

/** A request as rules see it. */
export function askedOf({ request }: Pick<Exchange, "request">): Asked {
  const sent = sentJson({ request });
  const search = request.url.indexOf("?");
  return {
    sent: isFields(sent) ? sent : {},
    query: new URLSearchParams(search < 0 ? "" : request.url.slice(search)),
  };
}

/**
 * An exchange as rules see it; null when there was no answer.
 * @param asked the request, if already parsed
 * @param json the answer as JSON, if something else needs it too
 */
export function seenOf(
  exchange: Exchange,
  asked: Asked = askedOf(exchange),
  json: () => unknown = () => jsonOf(exchange),
): Seen | null {
  const { response, operation } = exchange;
  if (response === null) return null;
  const body = json();
  return {
    exchange,
    operation,
    status: response.status,
    headers: response.headers,
    body,
    sent: asked.sent,
    query: asked.query,
    recognised: recognised(operation, response.status, response.headers, body, response.body),
  };
}

/** For each operation, a field of its success body that no other kind of server would send by chance. */
const marks: Partial<Record<OperationId, string>> = {
  discover: "search_id",
  inspect: "results",
  probe: "schema|quote|coverage|sample",
  call: "execution_id|error_message",
  queryCapability: "execution_id",
  getCapability: "capability_id",
};

const envelopes: ReadonlySet<OperationId> = new Set(envelopeOperations);

const versionHeader = responseHeaders.apiVersion.toLowerCase();

/** Fields any of which marks a success body as this API's: unless the caller chooses, all that the spec names. */
function marksOf(operation: OperationId): readonly string[] {
  const chosen = marks[operation];
  if (chosen !== undefined) return chosen.split("|");
  if (envelopes.has(operation)) return [];
  return (answers[operation][200] ?? []).map(({ path }) => path).filter((path) => !path.includes("."));
}

/**
 * Whether an answer plainly comes from this API. A rule or check passes only on such answers: a server that gives every
 * request the same answer satisfies many prohibitions and must not get credit for them.
 */
function recognised(
  operation: OperationId | null,
  status: number,
  headers: Record<string, string>,
  body: unknown,
  text: string,
): boolean {
  if (operation === "exportLedger" || operation === "exportUsage") {
    // The export of an account without rows may be empty.
    if (status === 200 && /^text\/csv/i.test(headers["content-type"] ?? ""))
      return text.trim() !== "" || headers[versionHeader] !== undefined;
  }
  if (!isFields(body)) return false;
  if (body["status"] === "failure" || body["status"] === "success")
    return typeof body["message"] === "string";
  // The contract leaves open how the place of the fault is written.
  if (status === 422 && ("detail" in body || headers[versionHeader] !== undefined)) return true;
  if (typeof body["error"] === "string" && "remaining_credits" in body) return true;
  return operation !== null && marksOf(operation).some((name) => Object.hasOwn(body, name));
}

export const isFields = (value: unknown): value is Fields => isObject(value);

/** The values at a path in which `*` stands for every member of a list; undefined where the path ends early. */
export function valuesAt(body: unknown, path: string): { path: string; value: unknown }[] {
  const places: { path: string; value: unknown }[] = [];
  collect(body, stepsOf(path), 0, "", places);
  return places;
}

/** The value at a path of members, without `*`; undefined where the path ends early. */
export function valueAt(body: unknown, path: string): unknown {
  let value = body;
  for (const step of stepsOf(path)) value = memberOf(value, step);
  return value;
}

/** There are few paths, and under load each is looked up with every answer. */
const split = new Map<string, readonly string[]>();

export const stepsOf = (path: string): readonly string[] => kept(split, path, () => path.split("."));

/** An object's own member; undefined for anything that is not an object. */
export const memberOf = (value: unknown, name: string): unknown =>
  isFields(value) && Object.hasOwn(value, name) ? value[name] : undefined;

function collect(
  value: unknown,
  steps: readonly string[],
  at: number,
  before: string,
  places: { path: string; value: unknown }[],
): void {
  const step = steps[at];
  if (step === undefined) {
    places.push({ path: before, value });
    return;
  }
  const prefix = before === "" ? "" : `${before}.`;
  if (step !== "*") {
    collect(memberOf(value, step), steps, at + 1, prefix + step, places);
  } else if (Array.isArray(value)) {
    for (const [index, member] of value.entries())
      collect(member, steps, at + 1, `${prefix}${index}`, places);
  }
}
