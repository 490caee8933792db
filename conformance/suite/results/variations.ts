import { onAnswers, onBody, variationsOf, type Body, type Change } from "../../changes/mutant.ts";
import type { WireRequest } from "../../changes/wire.ts";
import { freeing } from "../billing/free-call-changes.ts";

/** A large result of the sample catalogue. */
const largeTool = "weather.history.v1";

const projection = (request: WireRequest): string =>
  String((JSON.parse(request.sent() || "{}") as Body)["respond_with"] ?? "full");

/** Changes the answers of successful Calls with one projection. */
const onCalls = (mode: "full" | "summary", change: (body: Body, request: WireRequest) => Body): Change =>
  onBody("call", (body, request) =>
    body["success"] === true && projection(request) === mode ? change(body, request) : body,
  );

const onResult = (mode: "full" | "summary", change: (result: Body) => Body): Change =>
  onCalls(mode, (body) => ({ ...body, result: change(body["result"] as Body) }));

const statistics = (change: (old: Body) => unknown): Change =>
  onResult("summary", (result) => ({ ...result, summary: change(result["summary"] as Body) }));

/** A value with the members of every object reversed. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, turned(member)]),
  );
}

const schema = "`content_schema` (JSON schema of the full content when available)";

/** Describes only the type of the content, in a schema that begins with other words. */
const inSchema = (words: Body): Change =>
  onBody("call", (body) => {
    const result = body["result"] as Body | null;
    const shown = result?.["content_schema"] as Body | undefined;
    if (!result || !shown) return body;
    const content_schema = { ...words, type: shown["type"] ?? "object" };
    return { ...body, result: { ...result, content_schema } };
  });

/** Counts Calls with the same body, and changes the answers that a predicate of the count selects. */
function repeated(change: (body: Body) => Body): Change {
  const sent = new Set<string>();
  return onCalls("full", (body, request) => {
    const { tool_id: tool, parameters } = JSON.parse(request.sent()) as Body;
    const key = JSON.stringify([tool ?? request.query.get("tool_id"), parameters]);
    if (sent.has(key)) return change(body);
    sent.add(key);
    return body;
  });
}

/** Lawful results, whole, truncated or projected, that the reference server does not give. */
export const variations = variationsOf({
  "`full_content_file_url` is temporary; how long it lives is not stated": {
    "keeps download URLs valid for a year": { config: { resultLifetimeMs: 366 * 86_400_000 } },
  },
  "Truncated result: `result` omits `data` and contains `message`: what a whole one lacks is not stated": {
    "shows full_content_file_url next to an untruncated result": onResult("full", (result) =>
      "data" in result
        ? { ...result, full_content_file_url: "https://files.example.com/results/1?signature=abc" }
        : result,
    ),
  },
  "execution_time | number | Seconds (legacy timing field)": {
    "replays the execution_time of an earlier execution": repeated((body) => ({
      ...body,
      execution_time: 86_400,
    })),
  },
  "the contract lists fields and forbids no others, outside the summary projection": {
    "marks a repeated Call as cached": repeated((body) => ({
      ...body,
      cached: true,
      result: { ...(body["result"] as Body), cached_at: new Date().toISOString() },
    })),
  },
  [schema]: {
    "writes content_schema in draft-07": inSchema({ $schema: "http://json-schema.org/draft-07/schema#" }),
    "writes content_schema in draft-04": inSchema({ $schema: "http://json-schema.org/draft-04/schema#" }),
    "gives content_schema an $id that is not a URL": inSchema({ $id: "urn:x" }),
  },
  "`truncated_content` (initial bytes of the payload, string)": {
    "orders the members of a payload differently from its file": onResult("full", (result) =>
      "data" in result ? { ...result, data: turned(result["data"]) } : result,
    ),
  },
  "max_response_size | integer | no | Bytes before truncation": {
    "returns an empty truncated_content when max_response_size is 1": onCalls("full", (body, request) => {
      const result = body["result"] as Body;
      const isCut = "truncated_content" in result && request.sent().includes('"max_response_size":1}');
      return isCut ? { ...body, result: { ...result, truncated_content: "" } } : body;
    }),
    "returns a result as a string and measures the string's own bytes": onCalls("full", (body, request) => {
      const { content_schema: _schema, data, ...result } = body["result"] as Body;
      if (!request.sent().includes(largeTool)) return body;
      return { ...body, result: data === undefined ? result : { ...result, data: JSON.stringify(data) } };
    }),
  },
  "the top level is limited to execution identity/status, timing when available": {
    "adds its own identity, status and timing fields to a summary": onCalls("summary", (body) => ({
      ...body,
      request_id: "r-4711",
      execution_status: "completed",
      timing: { started_at: new Date().toISOString(), ms: 3 },
      duration: 0.003,
    })),
  },
  "`summary` (size/row statistics)": {
    "shows the ranges of columns in the statistics of a summary": {
      wire: (request, answer) => {
        if (request.operation !== "call" || answer.status !== 200) return answer;
        const body = JSON.parse(answer.body) as Body;
        const data = (body["result"] as Body | null)?.["data"];
        const key =
          String(request.headers.authorization) + String((JSON.parse(request.sent()) as Body)["tool_id"]);
        if (projection(request) === "full") payloads.set(key, data);
        if (projection(request) !== "summary" || body["success"] !== true) return answer;
        const result = body["result"] as Body;
        const statistic = { ...(result["summary"] as Body), ranges: rangesOf(payloads.get(key)) };
        return { ...answer, body: JSON.stringify({ ...body, result: { ...result, summary: statistic } }) };
      },
    },
    "writes the statistics of a summary as a list": statistics((old) =>
      Object.entries(old).map(([name, value]) => ({ name, type: "number", value })),
    ),
  },
  "May consume credits according to the capability's `billing_rule`.": {
    "charges nothing for a summary": freeing(({ body: { respond_with: mode } }) => mode === "summary"),
    "charges nothing for a truncated result": freeing(
      ({ body: { max_response_size: size } }) => size > 0 && size < 20_480,
    ),
  },
  "a provider returning no usable result (then billing shows a zero amount …)": {
    "shows a zero amount next to the list price of a Call without a usable result": onAnswers(
      ({ operation }, { status, body }) =>
        operation === "call" && status === 200 && body.includes('"success":false'),
      (answer) => ({
        ...answer,
        body: JSON.stringify({
          ...(JSON.parse(answer.body) as Body),
          billing: { summary: "not charged", list_amount_credits: 1, amount_credits: 0 },
        }),
      }),
    ),
  },
});

/** Each tool's last answer to each key. */
const payloads = new Map<string, unknown>();

/** The minimum and maximum of each number and date in a payload. */
function rangesOf(payload: unknown): Body {
  const rows = (Array.isArray(payload) ? payload : [payload]) as unknown[];
  const first = rows.find((row) => typeof row === "object" && row !== null) ?? {};
  return Object.fromEntries(
    Object.entries(first)
      .filter(([, value]) => typeof value === "number" || /^\d{4}-\d\d-\d\d/.test(String(value)))
      .map(([name, value]) => [name, { least: value as unknown, greatest: value as unknown }]),
  );
}
