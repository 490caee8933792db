import {
  onAny,
  otherAccounts,
  asAccount,
  type Answered,
  itemsOf,
  dataOf,
} from "../../changes/audit-query.ts";
import type { Body, Change } from "../../changes/mutant.ts";

type Rows = "listUsageFeed" | "exportUsage";

/** The parameters that select events, as opposed to those for paging. */
const isFilter = (name: string): boolean => !["page_size", "cursor"].includes(name);

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
