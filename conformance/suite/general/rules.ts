import type { ClauseId } from "../../../generated/clauses.ts";
import { shown } from "../../judge/expect.ts";
import {
  contractVersion,
  envelopeOperations,
  operations,
  responseHeaders,
  type Operation,
  type OperationId,
} from "../../../generated/contract.ts";
import type { Seen } from "../../judge/seen.ts";
import { isFields } from "../../judge/seen.ts";
import { about, holds, onStatus, rule, type Judgement, type Rule } from "../../judge/rule.ts";

const answersWith = (kind: Operation["answer"], { operation }: Seen): boolean =>
  operation !== null && operations[operation].answer === kind;

const isCsv = (seen: Seen): boolean => seen.status === 200 && answersWith("csv", seen);
const isEnvelope = (seen: Seen): boolean => seen.status === 200 && answersWith("envelope", seen);

const versionHeader = responseHeaders.apiVersion.toLowerCase();

const carriesVersion = (seen: Seen): Judgement =>
  holds(
    seen.headers[versionHeader] === contractVersion,
    `header ${responseHeaders.apiVersion}: ${contractVersion}`,
    seen.headers[versionHeader],
    { kind: "header", place: responseHeaders.apiVersion },
  );

/** The version header on answers of one status. */
const versionOn = (clause: ClauseId, what: string, status: number, when: (seen: Seen) => boolean): Rule =>
  onStatus(
    [status],
    rule(clause, `${what} carries the version header`, (seen) =>
      seen.status === status && when(seen) ? carriesVersion(seen) : null,
    ),
  );

const isOfAnOperation = (seen: Seen): boolean => seen.operation !== null;

/** The statuses with a separate clause for the header. */
const ownRule = [200, 400, 401, 402, 403, 404, 422, 429];

/** Operations whose payload the contract does not describe. */
const mayHaveNoPayload: readonly OperationId[] = ["startClaim", "verifyClaim", "verifyToken"];

const envelope = (seen: Seen): Record<string, unknown> | null =>
  isEnvelope(seen) && isFields(seen.body) ? seen.body : null;

const failedEnvelope = (seen: Seen): Record<string, unknown> | null =>
  answersWith("envelope", seen) && isFields(seen.body) && seen.body["status"] === "failure"
    ? seen.body
    : null;

/** Obligations that apply to every exchange, whatever its operation. */
export const rules: Rule[] = [
  versionOn("VERS-01", "a successful answer", 200, isOfAnOperation),
  versionOn("VERS-02", "a 401", 401, isOfAnOperation),
  versionOn("VERS-03", "a 422", 422, isOfAnOperation),
  versionOn("VERS-04", "a 429", 429, isOfAnOperation),
  versionOn("VERS-07", "a 400", 400, isOfAnOperation),
  versionOn("VERS-08", "a 402", 402, isOfAnOperation),
  versionOn("VERS-09", "a 404 of an operation", 404, isOfAnOperation),
  versionOn("VERS-14", "a 403", 403, isOfAnOperation),
  versionOn("VERS-10", "a CSV answer", 200, isCsv),
  rule("VERS-06", "an answer of any other status carries the version header", (seen) =>
    seen.operation === null || ownRule.includes(seen.status) ? null : carriesVersion(seen),
  ),
  rule("HTTP-02", "a body is JSON, with a JSON content type", (seen) => {
    if (seen.operation === null || isCsv(seen)) return null;
    if (seen.exchange.response!.body === "") return null;
    const type = seen.headers["content-type"] ?? "";
    if (seen.body !== undefined && /^application\/([a-z0-9.+-]*\+)?json\b/i.test(type)) return true;
    return {
      expected: "a JSON body of content type application/json",
      received: shown(`${type || "no content type"}: ${seen.exchange.response!.body.slice(0, 80)}`),
    };
  }),
  rule("HTTP-03", "a request that succeeds is answered with 200", (seen) =>
    seen.operation === null || seen.status >= 300 || seen.status < 200
      ? null
      : holds(seen.status === 200, "status 200", seen.status, {
          kind: "status",
          expected: { statuses: [200] },
          received: { status: seen.status },
        }),
  ),
  ...about(envelopeOperations, [
    rule("HTTP-05", "a success is the envelope", (seen) =>
      isEnvelope(seen)
        ? holds(
            isFields(seen.body) &&
              ["status", "message", "data"].every((name) => name in (seen.body as object)),
            "the envelope: status, message, status_code, data",
            seen.body,
            { kind: "envelope" },
          )
        : null,
    ),
    rule("HTTP-06", "the envelope has a status, a message and an integer status_code", (seen) => {
      const body = envelope(seen);
      if (!body) return null;
      const { status, message, status_code: code } = body;
      return holds(
        (status === "success" || status === "failure") &&
          typeof message === "string" &&
          (code === undefined || Number.isInteger(code)),
        "status success or failure, a message string, an integer status_code",
        { status, message, status_code: code },
      );
    }),
    rule("HTTP-07", "the envelope's status_code is 0 on success", (seen) => {
      const body = envelope(seen);
      if (!body || body["status"] !== "success") return null;
      return holds(body["status_code"] === 0, "status_code 0", body["status_code"]);
    }),
    rule("HTTP-08", "the status_code of a failed envelope is not 0", (seen) => {
      const body = failedEnvelope(seen);
      if (!body || body["status_code"] === undefined) return null;
      return holds(body["status_code"] !== 0, "a status_code other than 0", body["status_code"]);
    }),
    rule("HTTP-09", "the envelope's data is an object on success", (seen) => {
      const body = envelope(seen);
      if (!body || body["status"] !== "success") return null;
      if (mayHaveNoPayload.includes(seen.operation!) && body["data"] === null) return true;
      return holds(isFields(body["data"]), "data: object", body["data"], {
        kind: "member",
        place: "data",
        expected: { types: ["object"] },
      });
    }),
    rule("HTTP-10", "the data of a failed envelope is null", (seen) => {
      const body = failedEnvelope(seen);
      if (!body || body["data"] === undefined) return null;
      return holds(body["data"] === null, "data null", body["data"]);
    }),
  ]),
];
