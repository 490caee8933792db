import { isFields, type Seen } from "../../judge/seen.ts";
import { holds, about, rule, type Judgement, type Rule } from "../../judge/rule.ts";
import { callSucceeded } from "../call/rules.ts";
import { defaultSize, sizeOf } from "./payload.ts";

type Fields = Record<string, unknown>;

const projection = (seen: Seen): string => String(seen.sent["respond_with"] ?? "full");
const isSummary = (seen: Seen): boolean => callSucceeded(seen) && projection(seen) === "summary";
const isFieldList = (seen: Seen): boolean => callSucceeded(seen) && projection(seen).startsWith("fields:");

const resultOf = (seen: Seen): Fields | null =>
  seen.operation === "call" && seen.status === 200 && isFields(seen.body) && isFields(seen.body["result"])
    ? seen.body["result"]
    : null;

/** Size in bytes above which a payload is truncated. */
const limitOf = ({ sent }: Seen): number => {
  const size = sent["max_response_size"];
  return typeof size !== "number" ? defaultSize : size < 0 ? Infinity : size;
};

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** The download location of the full content; a summary may omit it. */
const addressOf = (seen: Seen): unknown => resultOf(seen)?.["full_content_file_url"];

const isTruncated = (seen: Seen): boolean => {
  const result = resultOf(seen);
  if (result === null || isSummary(seen)) return false;
  return (
    !Object.hasOwn(result, "data") &&
    (isGiven(result["truncated_content"]) || isGiven(result["full_content_file_url"]))
  );
};

/**
 * The permitted top-level contents of a summary: identity and status, timing, cost, remaining credits, result. The
 * contract does not name the fields of the first three.
 */
const summaryTopLevel =
  /^(cost|remaining_credits|result|success|error|\w*message|(\w+_)?(ids?|status|state)|\w*(time|timing|duration|latency|elapsed)\w*|\w+_(ms|at|seconds))$/;

const summaryResult = ["respond_with", "content_schema", "summary", "full_content_file_url", "message"];

/** Names of billing internals in the contract. */
const billingInternals = [
  "billing",
  "billing_rule",
  "billing_rule_snapshot",
  "billing_snapshot_status",
  "billing_summary",
  "pre_settlement_bill",
  "pre_settlement_amount_credits",
  "requested_amount_credits",
  "list_amount_credits",
  "settlement_result",
];

/** What a summary must omit, apart from its parameters and rows. */
const rawInternals = [
  ...billingInternals,
  "execution_outcome",
  "outcome",
  "experiment",
  "experiments",
  "experiment_metadata",
  "status_code",
  "provider_status_code",
];

/** The names of the fields at the top level, in `result` and, for a summary, in its statistics. */
function givenNames(body: Fields): string[] {
  const result = isFields(body["result"]) ? body["result"] : {};
  const statistics = isFields(result["summary"]) ? result["summary"] : {};
  return [body, result, statistics].flatMap((fields) =>
    Object.keys(fields).filter((name) => isGiven(fields[name])),
  );
}

const noneOf = (names: readonly string[], given: readonly string[], what: string): Judgement => {
  const leaked = given.filter((name) => names.includes(name));
  return holds(leaked.length === 0, what, leaked);
};

/** Host and port of an address; the scheme follows from them. */
function placeOf(address: string): string {
  const { hostname, port, protocol } = new URL(address);
  return `${hostname}:${port || (protocol === "https:" ? "443" : "80")}`;
}

/** The rules for the result of a Call: whole, truncated, or projected. */
export const rules: readonly Rule[] = about(
  ["call"],
  [
    rule("RSLT-06", "a truncated result has no data", (seen) => {
      const result = resultOf(seen);
      if (result === null || !isGiven(result["truncated_content"])) return null;
      // A beginning may also accompany the whole payload.
      const mayBeWhole = isGiven(result["data"]) && sizeOf(result["data"]) <= limitOf(seen);
      return mayBeWhole
        ? null
        : holds(!Object.hasOwn(result, "data"), "a truncated result without data", Object.keys(result));
    }),
    rule("RSLT-17", "a whole result holds its payload in data", (seen) => {
      const result = resultOf(seen);
      if (result === null || !callSucceeded(seen) || projection(seen) !== "full" || isTruncated(seen))
        return null;
      return holds(Object.hasOwn(result, "data"), "a result with data", Object.keys(result));
    }),
    rule("RSLT-10", "full_content_file_url is an address", (seen) => {
      const url = addressOf(seen);
      if (typeof url !== "string") return null;
      return holds(URL.canParse(url), "an address that can be opened", url);
    }),
    rule("RSLT-11", "full_content_file_url is not at the API's own address", (seen) => {
      const url = addressOf(seen);
      if (typeof url !== "string" || !URL.canParse(url) || !URL.canParse(seen.exchange.request.url))
        return null;
      return holds(
        placeOf(url) !== placeOf(seen.exchange.request.url),
        "an address at another origin than the API's",
        url,
      );
    }),
    rule("RSLT-24", "a fields answer carries no billing internals", (seen) => {
      if (resultOf(seen) === null || !isFieldList(seen)) return null;
      const asked = projection(seen);
      const internals = billingInternals.filter((name) => !asked.includes(name));
      return noneOf(internals, givenNames(seen.body as Fields), "an answer without billing internals");
    }),
    rule("RSLT-26", "the top level of a summary is limited", (seen) => {
      if (resultOf(seen) === null || !isSummary(seen)) return null;
      const body = seen.body as Fields;
      const more = Object.keys(body).filter((name) => isGiven(body[name]) && !summaryTopLevel.test(name));
      return holds(more.length === 0, "identity, status, timing, cost, remaining_credits and result", more);
    }),
    rule("RSLT-27", "the result of a summary is limited", (seen) => {
      const result = resultOf(seen);
      if (result === null || !isSummary(seen)) return null;
      const more = Object.keys(result).filter(
        (name) => isGiven(result[name]) && !summaryResult.includes(name),
      );
      return holds(more.length === 0, `at most ${summaryResult.join(", ")}`, more);
    }),
    rule("RSLT-30", "a summary carries no raw billing, outcome, experiment or status code", (seen) => {
      if (resultOf(seen) === null || !isSummary(seen)) return null;
      return noneOf(rawInternals, givenNames(seen.body as Fields), "a summary without internals");
    }),
  ],
);
