import {
  onAnswers,
  onBody,
  onFields,
  onPart,
  onPath,
  together,
  variationsOf,
  withBody,
  withStatus,
  type Body,
  type Change,
  type Variation,
} from "../../changes/mutant.ts";
import { withEmptyBuckets } from "../../changes/empty-buckets.ts";
import type { Answer, Context, Operation, Request } from "../../../reference-server/http/operation.ts";
import type { UsageEventRow } from "../../../reference-server/records.ts";
import type { OperationId } from "../../../generated/contract.ts";

const results: readonly OperationId[] = ["discover", "inspect"];

/** Renames the fields of an object. */
const renamed = (names: Record<string, string>) => (value: unknown) =>
  Object.fromEntries(Object.entries(value as Body).map(([name, member]) => [names[name] ?? name, member]));

const numbered = (reference: unknown): unknown => (reference === null ? null : 4711);

/** Delay of rows in a late audit. */
const lagMs = 120;

/** A lag longer than the profile's default. */
const longLagMs = 7_000;

const settlingLate = (ms: number): Change =>
  onPart("books", (books) => ({
    ...books,
    settle: async (executionId, event) => {
      const { available } = await books.balance(event.account_id);
      setTimeout(() => void books.settle(executionId, event).catch(() => undefined), ms);
      return { event: unread, remaining: available };
    },
  }));

const recordingLate = (ms: number): Change =>
  onPart("books", (books) => ({
    ...books,
    record: async (event) => {
      const { available } = await books.balance(event.account_id);
      setTimeout(() => void books.record(event).catch(() => undefined), ms);
      return { event: unread, remaining: available };
    },
  }));

const isYoung = (row: unknown): boolean =>
  Date.now() - Date.parse(String((row as Body)["created_at"])) < lagMs;

/** These operations read the remaining credits, but not the event that is yet to be written. */
const unread = {} as UsageEventRow;

/** The same feed, with cursors reversed in both directions. */
async function inOtherCursors<Id extends "listUsageFeed" | "listSettlements">(
  operation: Operation<Id>,
  request: Request<Id>,
  context: Context,
): Promise<Answer<Id>> {
  const flip = (cursor: string): string => [...cursor].reverse().join("");
  const query = request.query as { cursor?: string };
  const turned = query.cursor === undefined ? query : { ...query, cursor: flip(query.cursor) };
  const answer = structuredClone(await operation({ ...request, query: turned } as Request<Id>, context));
  const data =
    "body" in answer ? (answer.body as { data?: { next_cursor?: string | null } }).data : undefined;
  if (data?.next_cursor) data.next_cursor = flip(data.next_cursor);
  return answer;
}

/**
 * Lawful differences in the content of answers: optional fields, fields that the contract does not show, other choices.
 */
export const contentVariations: readonly Variation[] = variationsOf({
  "params: one-of groups are marked one_of_required, how is not shown": {
    "labels each one-of group member with the others' names": onPath(results, "results.*.params", (params) =>
      (params as Body[] | undefined)?.map((param) => {
        const { one_of_required: label, ...rest } = param;
        if (label === undefined) return param;
        const group = (params as Body[]).filter((parameter) => parameter["one_of_required"] === label);
        return {
          ...rest,
          one_of_required: group.filter((parameter) => parameter !== param).map(({ name }) => name),
        };
      }),
    ),
  },
  "remaining_credits: number or null": {
    "hides remaining_credits": onFields(["discover", "inspect", "call"], { remaining_credits: () => null }),
  },
  "routing cards, result.summary: what they hold is not shown": {
    "fills routing cards and summary statistics in its own format": together(
      onBody("discover", (body, { sent }) =>
        (JSON.parse(sent()) as Body)["view"] === "routing"
          ? {
              ...body,
              results: (body["results"] as Body[]).map((card) => ({
                ...card,
                capability: { id: card["capability"] },
                cost_class: 1,
                as_of_support: "none",
              })),
            }
          : body,
      ),
      onBody("call", (body) => {
        const result = body["result"] as Body | null;
        return result?.["respond_with"] === "summary"
          ? { ...body, result: { ...result, summary: "4 kB in 12 rows" } }
          : body;
      }),
    ),
  },
  "open: Discover total": {
    "counts all matches in total, not only the returned ones": onBody("discover", (body) => {
      const total = Number(body["total"]);
      return { ...body, total: total === 0 ? 0 : total + 7 };
    }),
  },
  "source_ref_id: an origin reference, its type not shown": {
    "shows source_ref_id as a number": together(
      onPath(["listUsage", "listLedger"], "data.items.*.source_ref_id", numbered),
      onPath(["getUsageEvent", "getLedgerEntry"], "data.source_ref_id", numbered),
    ),
  },
  "Credits balance, credits-spent, readiness responses: field names not shown": {
    "gives the fields of credits, credits spent and readiness different names": together(
      onPath(
        "getCredits",
        "data",
        renamed({ remaining_credits: "total_remaining", purchased: "paid", welcome_bonus: "welcome" }),
      ),
      onPath("getCreditsSpent", "data", renamed({ total_credits: "spent" })),
      onPath("getLedgerReadiness", "data", renamed({ ready: "is_ready", recommended_read_mode: "mode" })),
    ),
  },
  "Usage summary feed, settlement history: field list not shown": {
    "gives the fields of the feeds different names": onPath(
      ["listUsageFeed", "listSettlements"],
      "data",
      renamed({ next_cursor: "cursor", has_more: "more" }),
    ),
  },
  "Anonymous register response: field names other than api_key and claim_code are not shown": {
    "returns only the trial account fields that the contract names": onPath(
      "registerAnonymous",
      "data",
      (data) => {
        const { api_key, claim_code, trial_credits: credits } = data as Body;
        return { api_key, claim_code, credits };
      },
    ),
    "states until when a trial can be claimed, but not when it ends": onPath(
      "registerAnonymous",
      "data",
      (data) => {
        const { expires_at: _end, ...rest } = data as Body;
        return { ...rest, claim_code_expires_at: new Date(Date.now() + 37 * 86_400_000).toISOString() };
      },
    ),
  },
  "Claim-start and claim-verify responses: fields not shown": {
    "answers claim requests without details": together(
      onPath("startClaim", "data", (data) =>
        (data as Body)["claim_status"] === "blocked" ? { risk: "blocked" } : {},
      ),
      onPath("verifyClaim", "data", () => null),
    ),
  },
  "PublicApiError: optionally status_code and data": {
    "leaves status_code and data out of error objects": onAnswers(
      (request, answer) =>
        ["inspect", "probe", "call", "queryCapability", "getCapability"].includes(request.operation ?? "") &&
        answer.status >= 400 &&
        answer.status !== 429,
      (answer) => {
        const body = JSON.parse(answer.body) as Body;
        if (body["status"] !== "failure") return answer;
        const { status_code: _code, data: _data, ...rest } = body;
        return { ...answer, body: JSON.stringify(rest) };
      },
    ),
  },
  "401: the error object is named for Call alone": {
    "shapes the 401 of Inspect, Probe and capability routing differently": onBody(
      ["inspect", "probe", "queryCapability", "getCapability"],
      () => ({ detail: "Not authenticated" }),
      401,
    ),
  },
  "Discover failures: a body with search_id, total 0 and empty results": {
    "answers an invalid key on Discover with only the failure body": onBody(
      "discover",
      ({ search_id, total, results: found, query }) => ({
        query: query ?? "",
        search_id,
        total,
        results: found,
        elapsed_time_ms: 0,
        remaining_credits: null,
        error_message: "invalid key",
      }),
      401,
    ),
  },
  "HTTPValidationError: its details are not shown": {
    "describes 422 errors with different types and no input": onAnswers(
      (request, answer) => request.operation !== "call" && answer.status === 422,
      (answer) => {
        const body = JSON.parse(answer.body) as Body;
        if (!Array.isArray(body["detail"])) return answer;
        const detail = (body["detail"] as Body[]).map(({ loc, msg }) => ({ loc, msg, type: "value_error" }));
        return { ...answer, body: JSON.stringify({ detail }) };
      },
    ),
  },
  "bucket_start: its form is not shown": {
    "starts the first bucket with the window and labels days and weeks by date": onPath(
      ["listUsage", "listLedger"],
      "data.summary",
      (summary) => {
        if (summary === null) return null;
        const { start_date: from, bucket, buckets } = summary as { start_date: string } & Body;
        const written = (start: string): string =>
          Date.parse(start) < Date.parse(from) ? from : bucket === "hour" ? start : start.slice(0, 10);
        return {
          ...(summary as Body),
          buckets: (buckets as Body[]).map((bucket) => ({
            ...bucket,
            bucket_start: written(String(bucket["bucket_start"])),
          })),
        };
      },
    ),
  },
  "open: empty buckets": {
    "also returns the empty buckets of a summary's window": onPath(
      ["listUsage", "listLedger"],
      "data.summary",
      (summary) => (summary === null ? null : withEmptyBuckets(summary as Body)),
    ),
  },
  "execution_time: seconds; elapsed_time_ms: milliseconds": {
    "rounds elapsed times to zero": onFields(["discover", "inspect", "call"], {
      elapsed_time_ms: (old: unknown) => (old === undefined ? undefined : 0),
      execution_time: (old: unknown) => (old === undefined ? undefined : 0),
    }),
  },
  "Pre-settlement bill: before discounts or no-charge rules": {
    "settles every charge at half its list price": onPart("pricing", (pricing) => ({
      ...pricing,
      settle: (tool, execution, bill) => {
        const settlement = pricing.settle(tool, execution, bill);
        return { ...settlement, amount: Math.ceil(settlement.amount / 2) };
      },
    })),
  },
  "cursor: string; its form is not shown": {
    "hands out feed cursors in a different format": {
      operations: (operations) => ({
        ...operations,
        listUsageFeed: (request, context) => inOtherCursors(operations.listUsageFeed, request, context),
        listSettlements: (request, context) => inOtherCursors(operations.listSettlements, request, context),
      }),
    },
  },
  "tool_id not found: the Call response carries success false": {
    "answers a Call of an unknown tool with 422": onAnswers(
      (request, answer) =>
        request.operation === "call" &&
        answer.status === 200 &&
        /"success":false/.test(answer.body) &&
        /not (?:found|known)|unknown|no tool/i.test(answer.body),
      withStatus(422),
    ),
  },
  "consume_tool_search: only where a deployment charges Discover": {
    "charges for Discover": {
      config: { discoverPrice: 0.01 },
    },
  },
  "audit_lag: the contract promises no instant for usage and ledger rows": {
    "settles a moment after it has answered": settlingLate(lagMs),
    "records Discover and Inspect a moment after it has answered": recordingLate(lagMs),
    "settles and records after the suite has stopped waiting": {
      ...together(settlingLate(longLagMs), recordingLate(longLagMs)),
      profile: ({ audit_lag: _, ...profile }) => profile,
    },
    "links an event to its ledger entry a moment after it shows the event": together(
      onPath("listUsage", "data.items.*", (event) =>
        isYoung(event) ? { ...(event as Body), credits_ledger_entry_id: null } : event,
      ),
      onAnswers(
        ({ operation }, { status, body }) =>
          operation === "getLedgerEntry" && status === 200 && isYoung((JSON.parse(body) as Body)["data"]),
        withBody(404, { status: "failure", message: "not yet", status_code: -1, data: null }),
      ),
    ),
  },
});
