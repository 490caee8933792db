import type { ClauseId } from "../../../generated/clauses.ts";
import {
  asking,
  ignoring,
  misread,
  onAny,
  otherAccounts,
  asAccount,
  taking,
  type Answered,
  onData,
  itemsOf,
  dataOf,
} from "../../changes/audit-query.ts";
import { mutant, mutantsOf, onAnswers, type Body, type Change, type Mutant } from "../../changes/mutant.ts";
import type { WireAnswer } from "../../changes/wire.ts";

type Rows = "listUsageFeed" | "exportUsage";

/** The parameters that select events, as opposed to those for paging. */
const isFilter = (name: string): boolean => !["page_size", "cursor"].includes(name);

/** Mutants that misread dates. */
export const dateMutants = (clause: ClauseId, id: Rows): Mutant[] =>
  mutantsOf({
    [clause]: {
      [`ignores start_date in ${id}`]: ignoring(id, "start_date"),
      [`ignores end_date in ${id}`]: ignoring(id, "end_date"),
      [`takes start_date in ${id} a second too early`]: taking(id, "start_date", misread.shifted(-1000)),
      [`takes end_date in ${id} a second too late`]: taking(id, "end_date", misread.shifted(1000)),
      [`takes a date alone as end in ${id} for the beginning of the day`]: taking(
        id,
        "end_date",
        misread.midnight,
      ),
    },
  });

/** Mutants that ignore one of the filters by class each. */
export const classMutants = (clause: ClauseId, id: Rows): Mutant[] => [
  ...[
    "event_type",
    "kind",
    "success",
    "billable_success",
    "outcome",
    "reason_code",
    "has_execution_outcome",
    "charge_outcome",
    "anomaly",
  ].map((name) => mutant(clause, `ignores ${name} in ${id}`, ignoring(id, name))),
  mutant(
    clause,
    `takes success in ${id} for the billable one`,
    asking(id, ({ success, ...query }) =>
      success === false ? { ...query, charge_outcome: "failed_charged_review" } : { ...query, success },
    ),
  ),
];

/** Mutants that ignore one of the filters by id or credits each. */
export const idMutants = (clause: ClauseId, id: Rows): Mutant[] => [
  ...["search_id", "execution_id", "api_key_id", "oauth_client_id", "min_credits", "max_credits"].map(
    (name) => mutant(clause, `ignores ${name} in ${id}`, ignoring(id, name)),
  ),
  mutant(clause, `leaves out in ${id} an event of exactly min_credits`, aboveLeast(id)),
];

/** Where it should refuse a class that it does not know, it returns the account's largest answer so far. */
export function serving(id: Rows): Change {
  const served = new Map<string | undefined, WireAnswer>();
  return onAnswers(
    ({ operation }, { status }) => operation === id && [200, 422].includes(status),
    (answer, { headers: { authorization: who }, query }) => {
      const most = served.get(who);
      if (answer.status === 422) return (classes.some((name) => query.has(name)) && most) || answer;
      if (!most || answer.body.length > most.body.length) served.set(who, answer);
      return answer;
    },
  );
}

/** The parameters of which only some words have a meaning. */
const classes = ["event_type", "kind", "charge_outcome", "anomaly"];

/** Where the minimum exceeds the maximum, it applies only the minimum. */
export const leastAlone = (id: Rows): Change =>
  asking(id, ({ max_credits: most, ...query }) =>
    most === undefined || Number(query["min_credits"]) > Number(most)
      ? query
      : { ...query, max_credits: most },
  );

/** Where an event has exactly min_credits, it leaves it out. */
export const aboveLeast = (id: Rows | "listUsage"): Change =>
  asking(id, (query) =>
    query["min_credits"] !== undefined && query["max_credits"] === undefined
      ? { ...query, min_credits: Number(query["min_credits"]) + 0.000001 }
      : query,
  );

/** Adds the other accounts' rows to the caller's when nothing is filtered, or `when` says so. */
export const joiningAccounts = (
  id: Rows | "listUsage",
  when = (query: Body): boolean => !Object.keys(query).some(isFilter),
): Change =>
  onAny(id, (operation) => async (request, context) => {
    const own = await operation(request, context);
    if (own.status !== 200 || !when(request.query as Body)) return own;
    const theirs: Answered[] = [];
    for (const account of await otherAccounts(request, context)) {
      theirs.push(await operation(asAccount(request, account), context));
    }
    if ("stream" in own) {
      const [first = "", ...others] = await Promise.all([own, ...theirs].map(textOf));
      const rows = others.map((text) => text.slice(text.indexOf("\r\n") + 2));
      return { ...own, stream: once(first + rows.join("")) };
    }
    for (const answer of theirs) itemsOf(dataOf(own)).push(...itemsOf(dataOf(answer)));
    return own;
  });

/** Whether a query filters by credential type. */
export const byCredential = (query: Body): boolean => query["credential_type"] !== undefined;

export async function textOf(answer: Answered): Promise<string> {
  if (!("stream" in answer)) return "";
  let text = "";
  for await (const piece of answer.stream) text += piece;
  return text;
}

/** Wraps a text as the stream of an export. */
export async function* once(text: string): AsyncGenerator<string, void, undefined> {
  yield await Promise.resolve(text);
}

/** A page beyond the last repeats the last page. */
export const repeatingLast = (id: "listUsage" | "listLedger"): Change =>
  onData(id, async (data, { query, ask }) => {
    const { total, page_size: size } = data as { total: number; page_size: number };
    if (itemsOf(data).length > 0 || total === 0) return;
    data["items"] = itemsOf(await ask({ ...query, page: Math.ceil(total / size) }));
  });
