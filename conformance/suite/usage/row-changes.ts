import type { ClauseId } from "../../../generated/clauses.ts";
import {
  asking,
  ignoring,
  misread,
  onAny,
  otherAccounts,
  asAccount,
  taking,
} from "../../proof/audit-query.ts";
import { mutant, onAnswers, type Body, type Change, type Mutant } from "../../proof/mutant.ts";
import type { WireAnswer } from "../../proof/wire.ts";

type Rows = "listUsageFeed" | "exportUsage";

/** The parameters that select events, as opposed to those for paging. */
const isFilter = (name: string): boolean => !["page_size", "cursor"].includes(name);

/** Mutants that misread dates. */
export const dateMutants = (clause: ClauseId, id: Rows): Mutant[] => [
  mutant(clause, `ignores start_date in ${id}`, ignoring(id, "start_date")),
  mutant(clause, `ignores end_date in ${id}`, ignoring(id, "end_date")),
  mutant(
    clause,
    `takes start_date in ${id} a second too early`,
    taking(id, "start_date", misread.shifted(-1000)),
  ),
  mutant(clause, `takes end_date in ${id} a second too late`, taking(id, "end_date", misread.shifted(1000))),
  mutant(
    clause,
    `takes a date alone as end in ${id} for the beginning of the day`,
    taking(id, "end_date", misread.midnight),
  ),
];

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
  mutant(
    clause,
    `leaves out in ${id} an event of exactly min_credits`,
    asking(id, (query) =>
      query["min_credits"] !== undefined && query["max_credits"] === undefined
        ? { ...query, min_credits: Number(query["min_credits"]) + 0.000001 }
        : query,
    ),
  ),
];

/** Where it should refuse a parameter, it returns the account's largest answer so far. */
export function serving(id: Rows, names: readonly string[]): Change {
  const served = new Map<string, WireAnswer>();
  return onAnswers(
    ({ operation }, { status }) => operation === id && [200, 422].includes(status),
    (answer, request) => {
      const who = String(request.headers.authorization);
      const most = served.get(who);
      if (answer.status === 422) return (names.some((name) => request.query.has(name)) && most) || answer;
      if (!most || answer.body.length > most.body.length) served.set(who, answer);
      return answer;
    },
  );
}

/** Where the minimum exceeds the maximum, it applies only the minimum. */
export const leastAlone = (id: Rows): Change =>
  asking(id, ({ max_credits: most, ...query }) =>
    most === undefined || Number(query["min_credits"]) > Number(most)
      ? query
      : { ...query, max_credits: most },
  );

/** Adds the other accounts' rows to the caller's when nothing is filtered, or `when` says so. */
export const joiningAccounts = (
  id: Rows | "listUsage",
  join: (own: Answered, theirs: Answered[]) => Answered | Promise<Answered>,
  when = (query: Body): boolean => !Object.keys(query).some(isFilter),
): Change =>
  onAny(id, (operation) => async (request, context) => {
    const own = await operation(request, context);
    if (own.status !== 200 || !when(request.query as Body)) return own;
    const theirs: Answered[] = [];
    for (const account of await otherAccounts(request, context)) {
      theirs.push(await operation(asAccount(request, account), context));
    }
    return join(own, theirs);
  });

/** Adds the items of the other accounts to the caller's. */
export const joinItems = (own: Answered, theirs: Answered[]): Answered => {
  const items = dataOf(own)["items"] as Body[];
  for (const answer of theirs) items.push(...(dataOf(answer)["items"] as Body[]));
  return own;
};

/** Whether a query filters by credential type. */
export const byCredential = (query: Body): boolean => query["credential_type"] !== undefined;

type Answered = Awaited<ReturnType<Parameters<Parameters<typeof onAny>[1]>[0]>>;

export const dataOf = (answer: Answered): Body =>
  "body" in answer ? (answer.body as { data: Body }).data : {};

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
  onAny(id, (operation) => async (request, context) => {
    const query = request.query as { page?: number };
    const answer = await operation(request, context);
    const {
      items,
      total,
      page_size: size,
    } = dataOf(answer) as { items: Body[]; total: number; page_size: number };
    if (answer.status !== 200 || items.length > 0 || total === 0) return answer;
    const last = await operation({ ...request, query: { ...query, page: Math.ceil(total / size) } }, context);
    Object.assign(dataOf(answer), { items: dataOf(last)["items"] });
    return answer;
  });
