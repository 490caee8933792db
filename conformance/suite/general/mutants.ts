import { misread, taking } from "../../changes/audit-query.ts";
import {
  mutant,
  mutantsOf,
  onAnswers,
  onBody,
  onFields,
  onHeaders,
  onPath,
  onStatus,
  withStatus,
  type Body,
  type Change,
} from "../../changes/mutant.ts";
import type { OperationId } from "../../../generated/contract.ts";

/** Changes the failed envelopes of an operation. */
const onFailure = (operation: OperationId, fields: Record<string, unknown>): Change =>
  onAnswers(
    (request, answer) => request.operation === operation && answer.body.startsWith('{"status":"failure"'),
    (answer) => ({ ...answer, body: JSON.stringify({ ...(JSON.parse(answer.body) as Body), ...fields }) }),
  );

export const mutants = [
  ...mutantsOf({
    "HTTP-01": {
      "serves no settlement history": onStatus("listSettlements", 200, 404),
      "serves the credits by another method": onStatus("getCredits", 200, 405),
      "takes JSON without a charset only": onAnswers(
        ({ headers }) => /charset/.test(headers["content-type"] ?? ""),
        withStatus(415),
      ),
    },
    "HTTP-02": {
      "calls the JSON of the credits plain text": onHeaders(({ operation }) => operation === "getCredits", {
        "content-type": "text/plain",
      }),
      "answers a refused search with a web page": onStatus("discover", 422, (answer) => ({
        ...answer,
        body: "<h1>Unprocessable</h1>",
        headers: { ...answer.headers, "content-type": "text/html" },
      })),
    },
    "HTTP-03": { "answers a registration with 201": onStatus("registerAnonymous", 200, 201) },
    "HTTP-04": {
      "breaks down over JSON that cannot be parsed": onAnswers(
        ({ operation }, { body }) => operation === "call" && body.includes("json_invalid"),
        withStatus(500),
      ),
      "breaks down over a body that is null": onAnswers(
        (request) => request.operation === "inspect" && request.sent() === "null",
        withStatus(500),
      ),
      "breaks down where there is no body": onAnswers(
        (request) => request.operation === "inspect" && request.sent() === "",
        withStatus(500),
      ),
      "breaks down over a body that is a list": onAnswers(
        (request) => request.operation === "probe" && request.sent() === "[]",
        withStatus(500),
      ),
    },
    "HTTP-05": { "answers the credits without an envelope": onBody("getCredits", (body) => body["data"]) },
    "HTTP-06": {
      "says ok in the place of success": onFields("getCredits", { status: "ok" }),
      "answers status_code as a string": onFields("listLedger", { status_code: "0" }),
      "answers no message": onFields("verifyToken", { message: null }),
    },
    "HTTP-07": {
      "answers status_code 200 on success": onFields("listUsage", { status_code: 200 }),
      "leaves status_code out of the settlement history": onFields("listSettlements", {
        status_code: undefined,
      }),
    },
    "HTTP-08": { "answers status_code 0 on failure": onFailure("getLedgerEntry", { status_code: 0 }) },
    "HTTP-09": { "wraps the credits in a list": onPath("getCredits", "data", (data) => [data]) },
    "HTTP-10": {
      "answers an empty object as the data of a failure": onFailure("getUsageEvent", { data: {} }),
    },
  }),
  ...(
    [
      ["USAG-46", "listUsage"],
      ["LEDG-27", "listLedger"],
      ["UEXP-04", "exportUsage"],
      ["UFED-08", "listUsageFeed"],
      ["LEXP-03", "exportLedger"],
    ] as const
  ).map(([clause, id]) =>
    mutant(clause, `begins a day of ${id} at eight`, taking(id, "start_date", misread.dayAtEight)),
  ),
];
