import { chargingRefusals, type CallBody } from "../call/mutants.ts";
import { freeing } from "../billing/free-call-changes.ts";
import {
  mutantsOf,
  onBody,
  onOperation,
  withBody,
  onStatus,
  type Body,
  type Change,
  reading,
} from "../../changes/mutant.ts";
import { onResult } from "./mutants.ts";

const isSummary = (body: Body): boolean => (body["result"] as Body | null)?.["respond_with"] === "summary";
const isFieldList = (body: Body): boolean =>
  String((body["result"] as Body | null)?.["respond_with"]).startsWith("fields:");

const onSummary = (change: (body: Body) => Body): Change =>
  onBody("call", (body) => (isSummary(body) ? change(body) : body));

/** Changes fields of a summary's result. */
const onSummaryResult = (change: (result: Body) => Body): Change =>
  onSummary((body) => {
    const result = body["result"] as Body;
    return { ...body, result: { ...result, ...change(result) } };
  });

const inSummaryResult = (more: Body): Change => onSummaryResult(() => more);

const onFieldList = (change: (body: Body) => Body): Change =>
  onBody("call", (body) => (isFieldList(body) ? change(body) : body));

/** Changes fields of a summary's result by what was asked and is stored. */
const onSummaryOf = (change: (result: Body, asked: CallBody, stored: string) => Body): Change =>
  onResult((result, asked, stored) =>
    result["respond_with"] === "summary" ? { ...result, ...change(result, asked, stored) } : result,
  );

/** Answers 200 for a Call whose body should be refused with 422. */
const accepting = (body: RegExp): Change => onStatus("call", 422, 200, ({ sent }) => body.test(sent()));

/** Changes the projection that a Call requests. */
const projecting = (change: (mode: string, size: number, tool: string | undefined) => string): Change =>
  reading("call", ({ respond_with: mode, max_response_size: size, tool_id: tool }) => ({
    respond_with: change(mode, size, tool),
  }));

/** Changes the results of the `fields:` expressions, by key. */
const onSelected = (change: (selected: Body) => Body): Change =>
  onResult((result) =>
    String(result["respond_with"]).startsWith("fields:") && result["data"]
      ? { ...result, data: change(result["data"] as Body) }
      : result,
  );

/** Changes each value that an expression selected. */
const onValues = (change: (value: unknown) => unknown): Change =>
  onSelected((selected) =>
    Object.fromEntries(Object.entries(selected).map(([key, value]) => [key, change(value)])),
  );

/** Changes failed Calls that requested a projection. */
const onFailedProjection = (change: (body: Body) => Body, status = 200): Change =>
  onStatus(
    "call",
    200,
    (answer) => withBody(status, change(JSON.parse(answer.body) as Body))(answer),
    ({ sent }, { body }) =>
      body.includes('"success":false') && /"respond_with":"(summary|fields:)/.test(sent()),
  );

/** A large result of the sample catalogue. */
const largeTool = "weather.history.v1";

const oneCredit = { summary: "1 credit", list_amount_credits: 1 };

const lastName = (expression: string): string => /(\w+)\W*$/.exec(expression)?.[1] ?? expression;

export const mutants = mutantsOf({
  "RSLT-10": {
    "hands out the content of a summary over http": onSummaryResult(({ full_content_file_url: url }) => ({
      full_content_file_url: String(url).replace("https:", "http:"),
    })),
  },
  "RSLT-12": {
    "hands out an address that nobody serves for a summary": onSummaryResult(
      ({ full_content_file_url: url }) => ({
        full_content_file_url: String(url).replace("/results/", "/files/"),
      }),
    ),
    "stores the beginning of the content for a summary": onOperation("call", (call) => (request, context) => {
      const { objects } = context;
      const put: typeof objects.put = (name, content, ...rest) =>
        objects.put(
          name,
          request.body.respond_with === "summary" ? content.slice(0, 1000) : content,
          ...rest,
        );
      return call(request, { ...context, objects: { put } });
    }),
  },
  "RSLT-19": {
    "answers full, when it is asked for by name, in a shape of its own": onBody("call", (body, { sent }) => {
      const { data } = (body["result"] ?? {}) as Body;
      return sent().includes('"full"') && data ? { ...body, result: { content: data } } : body;
    }),
    "shortens the payload of full when it is asked for by name": onBody("call", (body, { sent }) => {
      const { data } = (body["result"] ?? {}) as { data?: Body };
      if (!sent().includes('"full"') || !data || Array.isArray(data)) return body;
      return { ...body, result: { data: Object.fromEntries(Object.entries(data).slice(1)) } };
    }),
  },
  "RSLT-20": {
    "takes an unknown respond_with for full": accepting(/"respond_with":"(?!fields:)/),
    "takes fields without a colon for full": accepting(/"respond_with":"fields"/),
  },
  "RSLT-21": {
    "takes fields without an expression for full": accepting(/"respond_with":"fields:[\s,]*"/),
    "takes an expression that is no JSONPath for one that selects nothing": projecting((mode) =>
      /[[(]$/.test(mode) ? "fields:$.nothing" : mode,
    ),
    "leaves out an expression that is no JSONPath beside one that is": projecting((mode) =>
      mode.replace(/,\$\[$/, ""),
    ),
  },
  "RSLT-22": {
    "reads only the first expression": projecting((mode) => mode.split(",")[0]!),
    "roots the expressions at result": projecting((mode) => mode.replaceAll("$.", "$.data.")),
    "reads only the first two expressions": projecting((mode) => mode.split(",").slice(0, 2).join(",")),
    "returns no more than ten of the values that one expression selects": onValues((value) =>
      Array.isArray(value) ? value.slice(0, 10) : value,
    ),
    "finds nothing in a list": projecting((mode) => mode.replaceAll(/\$[.\w]*\[\d+\]/g, "$.nothing")),
    "keeps the last of two values of one name": onSelected((selected) =>
      Object.fromEntries(Object.entries(selected).map(([key, value]) => [lastName(key), value])),
    ),
    "returns numbers as texts": onValues((value) => (typeof value === "number" ? String(value) : value)),
    "refuses a name in brackets": projecting((mode) => (mode.includes("['") ? "fields:$[" : mode)),
    "finds nothing by an expression that descends": projecting((mode) =>
      mode.replace(/^fields:\$\.\.\w+$/, "fields:$.nothing"),
    ),
    "finds nothing by a slice": projecting((mode) => mode.replace("[0:2]", "[9000:9001]")),
    "finds nothing by a wildcard for members": projecting((mode) => mode.replace(/\[0\]\.\*$/, ".nothing")),
    "refuses a wildcard": projecting((mode) => (mode.includes("*") ? "fields:$[" : mode)),
  },
  "RSLT-23": {
    "returns the whole payload for fields": projecting((mode) =>
      mode.startsWith("fields:$.") ? "fields:$" : mode,
    ),
    "returns the whole payload for fields where truncation is disabled": projecting((mode, size) =>
      size === -1 && mode.startsWith("fields:") ? "fields:$" : mode,
    ),
  },
  "RSLT-24": {
    "leaks billing into a fields answer": onFieldList((body) => ({ ...body, billing: oneCredit })),
    "leaves success out of a fields answer": onFieldList(({ success: _, ...body }) => body),
    "answers fields under an id of another kind": onFieldList((body) => ({ ...body, execution_id: 7 })),
  },
  "RSLT-25": {
    "charges a Call that it refuses for its projection": chargingRefusals(({ respond_with: mode }) =>
      mode.startsWith("fields:"),
    ),
  },
  "RSLT-26": {
    "leaves the tool's name in a summary": onSummary((body) => ({ ...body, tool: "weather" })),
    "answers a summary as a failure": onSummary((body) => ({
      ...body,
      success: false,
      error_message: "There is only a summary.",
    })),
  },
  "RSLT-27": {
    "adds the first rows to a summary": inSummaryResult({ rows: [] }),
    "answers a summary in full where truncation is disabled": projecting((mode, size) =>
      size === -1 && mode === "summary" ? "full" : mode,
    ),
    "truncates a large result in the place of a summary": projecting((mode, _size, tool) =>
      mode === "summary" && tool === largeTool ? "full" : mode,
    ),
  },
  "RSLT-28": { "writes the cost of a summary as a text": onSummary((body) => ({ ...body, cost: "one" })) },
  "RSLT-29": { "leaves out the statistics": inSummaryResult({ summary: undefined }) },
  "RSLT-30": {
    "leaks billing into a summary": onSummary((body) => ({ ...body, billing: oneCredit })),
    "leaks the provider's status code into the statistics of a summary": inSummaryResult({
      summary: { size_bytes: 12, status_code: 200 },
    }),
  },
  "RSLT-31": {
    "repeats the parameters in a summary": onSummaryOf((_, { parameters }) => ({ parameters })),
    "says in the statistics what was asked": onSummaryOf((_, { parameters }) => ({
      summary: { of: Object.values(parameters) },
    })),
  },
  "RSLT-32": {
    "shows a sample row in the statistics": onSummaryOf(({ summary }, _, stored) => ({
      summary: { ...(summary as Body), sample: JSON.parse(stored) as unknown },
    })),
  },
  "RSLT-33": {
    "charges nothing for a summary": freeing(({ body: { respond_with: mode } }) => mode === "summary"),
    "charges nothing for fields": freeing(({ body: { respond_with: mode } }) => mode.startsWith("fields:")),
    "costs nothing as a summary": onSummary((body) => ({ ...body, cost: 0 })),
    "costs nothing as fields": onFieldList((body) => ({ ...body, cost: 0 })),
    "cannot project a result that is not there": onFailedProjection(
      () => ({ status: "failure", message: "Nothing to project.", status_code: 500 }),
      500,
    ),
    "refuses the projection of a Call that has failed": onFailedProjection((body) => body, 422),
  },
  "CALL-42": {
    "bills the list price of a Call without a result where a projection was asked": onFailedProjection(
      (body) => ({ ...body, billing: oneCredit }),
    ),
  },
  "RSLT-34": {
    "describes the content of a summary as a list of texts": inSummaryResult({
      content_schema: { type: "array", items: { type: "string" } },
    }),
    "describes the content of a summary as the data of something": onSummaryResult(
      ({ content_schema: data }) => ({
        content_schema: { type: "object", required: ["data"], properties: { data } },
      }),
    ),
    "describes every list as one of objects in the schema of a summary": onSummaryOf((result, _, stored) =>
      Array.isArray(JSON.parse(stored))
        ? { content_schema: { type: "array", items: { type: "object" } } }
        : result,
    ),
    "shows the content as an example in the schema of a summary": onSummaryOf(
      ({ content_schema: schema }, _, stored) => ({
        content_schema: { ...(schema as Body), examples: [JSON.parse(stored) as unknown] },
      }),
    ),
  },
});
