import { chargingRefusals, type CallBody } from "../call/mutants.ts";
import { freeing } from "../billing/free-call-changes.ts";
import {
  mutantsOf,
  onBody,
  onOperation,
  withBody,
  onStatus,
  sentOf,
  type Body,
  type Change,
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

/** Changes failed Calls that requested a projection. */
const onFailedProjection = (change: (body: Body) => Body, status = 200): Change =>
  onStatus(
    "call",
    200,
    (answer) => withBody(status, change(JSON.parse(answer.body) as Body))(answer),
    ({ sent }, { body }) =>
      body.includes('"success":false') && /"respond_with":"(summary|fields:)/.test(sent()),
  );

const oneCredit = { summary: "1 credit", list_amount_credits: 1 };

export const mutants = mutantsOf({
  "RSLT-22": {
    "refuses expressions that descend": onStatus(
      "call",
      200,
      withBody(422, { success: false, error_message: "not a JSONPath" }),
      (request) => /^fields:\$\.\.[^,]+$/.test(String(sentOf(request)["respond_with"])),
    ),
  },
  "RSLT-12": {
    "returns a full_content_file_url that leads nowhere for a summary": onSummaryResult(
      ({ full_content_file_url: url }) => ({
        full_content_file_url: String(url).replace("/results/", "/files/"),
      }),
    ),
    "stores only part of the content for a summary": onOperation("call", (call) => (request, context) => {
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
    "changes the shape of a result when full is requested explicitly": onBody("call", (body, { sent }) => {
      const { data } = (body["result"] ?? {}) as Body;
      return sent().includes('"full"') && data ? { ...body, result: { content: data } } : body;
    }),
  },
  "RSLT-24": {
    "leaks billing into a fields answer": onFieldList((body) => ({ ...body, billing: oneCredit })),
  },
  "RSLT-25": {
    "charges a Call that it refuses because of its projection": chargingRefusals(({ respond_with: mode }) =>
      mode.startsWith("fields:"),
    ),
  },
  "RSLT-30": {
    "leaks billing into a summary": onSummary((body) => ({ ...body, billing: oneCredit })),
    "leaks the provider's status code into the statistics of a summary": inSummaryResult({
      summary: { size_bytes: 12, status_code: 200 },
    }),
  },
  "RSLT-32": {
    "shows a sample row in the statistics": onSummaryOf(({ summary }, _, stored) => ({
      summary: { ...(summary as Body), sample: JSON.parse(stored) as unknown },
    })),
  },
  "RSLT-33": {
    "charges nothing for a summary": freeing(({ body: { respond_with: mode } }) => mode === "summary"),
    "charges nothing for fields": freeing(({ body: { respond_with: mode } }) => mode.startsWith("fields:")),
    "shows a cost of zero for a summary": onSummary((body) => ({ ...body, cost: 0 })),
    "shows a cost of zero for a fields answer": onFieldList((body) => ({ ...body, cost: 0 })),
    "answers 500 when there is no result to project": onFailedProjection(
      () => ({ status: "failure", message: "Nothing to project.", status_code: 500 }),
      500,
    ),
    "refuses the projection of a failed Call": onFailedProjection((body) => body, 422),
  },
  "CALL-42": {
    "bills a list price for a Call without a result when a projection is requested": onFailedProjection(
      (body) => ({ ...body, billing: oneCredit }),
    ),
  },
});
