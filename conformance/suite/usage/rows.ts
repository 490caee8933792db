import type { ClauseId } from "../../../generated/clauses.ts";
import { check, type Check, type Stage } from "../../run/check.ts";
import type { Account, Query } from "../../server/account.ts";
import type { Located } from "../../judge/answer.ts";
import { csvRows } from "../../books/csv.ts";
import { itemsOf } from "../../server/cursor.ts";
import { idOf, justBefore } from "../../books/listed.ts";
import type { Feature } from "../../server/profile.ts";
import { rowsNamed, tellsRows } from "../../server/row-readers.ts";
import {
  expectSameAsList,
  expectSelections,
  keepsToDays,
  keepsToInstants,
  type Asking,
  type Reader,
  type Reading,
} from "../../server/selection.ts";
import { filtersOf, hiddenQueries, keyOf, queriesOf, queryText } from "../../books/filters.ts";
import { Unverifiable } from "../../judge/verdict.ts";
import { act, anyEvent, eventsApart } from "./activity.ts";
import { operations, type Parameter } from "../../../generated/contract.ts";

/**
 * Expects each query to be refused or to select nothing, since no event satisfies it.
 * @param known the account's events, to identify rows by
 */
export async function refusesOrSelectsNothing(
  { account, expect }: Asking,
  operation: "listUsage" | "listUsageFeed" | "exportUsage",
  queries: readonly Query[],
  known: readonly Located[],
): Promise<void> {
  for (const query of queries) {
    const answer = await account.ask(operation, { query });
    expect(answer).toHaveStatus(200, 400, 422);
    if (answer.status !== 200) continue;
    if (operation === "listUsage") {
      expect(answer.at("data.items"), queryText(query)).toBeEmpty();
      expect(answer.at("data.total"), `total of ${queryText(query)}`).toBe(0);
    } else {
      const rows = operation === "exportUsage" ? csvRows(answer.text) : itemsOf(answer);
      expect(rowsNamed(rows, known), `the events that ${queryText(query)} selects`).toBe([]);
    }
  }
}

/**
 * Expects that another account's event is not found by its attribution, although its own account finds it.
 * @throws Unverifiable when its own account does not, or the event shows no attribution
 */
export async function hidesAttributed({ account, other, expect }: Stage, read: Reader): Promise<void> {
  const stranger = await other();
  const event = await anyEvent(stranger);
  const attributions: Record<string, unknown> = {
    api_key_id: keyOf(event),
    credential_type: event.at("credential_type").value,
    oauth_client_id: event.at("oauth_client_id").value,
  };
  const finds = async (reader: Account, query: Query): Promise<boolean> => {
    const asked = { start_date: justBefore(event), ...query };
    return (await read({ account: reader, expect }, asked, [event])).includes(idOf(event));
  };
  let found = 0;
  for (const [name, value] of Object.entries(attributions)) {
    if (typeof value !== "string" || !(await finds(stranger, { [name]: value }))) continue;
    found += 1;
    const seen = await finds(account, { [name]: value });
    expect(seen, `whether another account's event is found by ${name}=${value}`).toBe(false);
  }
  // "Usage events can be attributed": a server that attributes none is lawful.
  if (found === 0) throw new Unverifiable("no event is found by the key, the client or the credential type");
}

async function hidesForeign({ account, other, expect }: Stage, what: string, read: Reader): Promise<void> {
  const foreign = await anyEvent(await other());
  const mine = await anyEvent(account);
  const found = await read({ account, expect }, {}, [mine, foreign]);
  if (!found.includes(idOf(mine))) throw new Unverifiable(`${what} does not show my own event`);
  expect(found.includes(idOf(foreign)), `whether another account's event is in ${what}`).toBe(false);
}

/** A credential type that no event has: some servers refuse those that they do not know. */
export const unknownCredential: Query = { credential_type: "no_such_type" };

/** Values that the contract does not list. */
export const unlisted: readonly Query[] = Object.entries(
  operations.listUsage.query as Record<string, Parameter>,
).flatMap(([name, { enum: words }]) => (words === undefined ? [] : [{ [name]: "no_such_value" }]));

/** Bounds with no amount between them, though each by itself selects the charged or the uncharged events. */
const contradiction: Query = { min_credits: 0.000001, max_credits: 0 };

/** The filters by id, attribution and credits, and all others. */
const ids = [
  "search_id",
  "execution_id",
  "api_key_id",
  "credential_type",
  "oauth_client_id",
  "min_credits",
  "max_credits",
];
const classes = filtersOf("listUsage").flatMap(([name]) => (ids.includes(name) ? [] : [name]));

/** The checks that rows of the feed or the export belong to the account and satisfy the filters of the query. */
export function rowsKeepToFilters(
  what: string,
  operation: "listUsageFeed" | "exportUsage",
  read: Reader,
  { feature, ...clauses }: { feature: Feature } & Record<"owner" | "dates" | "classes" | "ids", ClauseId>,
): Check[] {
  const list = "listUsage";
  const readings = async (stage: Stage, since: string): Promise<Required<Reading>> => {
    const reading = { list, read, within: { start_date: since } } as const;
    await tellsRows(stage, reading);
    return reading;
  };
  return [
    check(
      clauses.owner,
      `${what} holds only the account's own events`,
      { feature, needs: ["other_account"] },
      (stage) => hidesForeign(stage, what, read),
    ),

    check(
      clauses.owner,
      `${what} reveals no event of another account by its attribution`,
      { feature, needs: ["other_account"] },
      (stage) => hidesAttributed(stage, read),
    ),

    check(clauses.dates, `${what} respects start_date and end_date`, { feature }, async (stage) => {
      const events = await eventsApart(stage.account);
      const reading = await readings(stage, justBefore(events[0]));
      await keepsToInstants(stage, reading, events);
      await keepsToDays(stage, reading, events[1]);
    }),

    check(
      clauses.classes,
      `${what} respects the filters by type, kind, success, outcome, reason, charge outcome and anomaly`,
      { feature },
      async (stage) => {
        const activity = await act(stage, { querying: true });
        const reading = await readings(stage, activity.since);
        await expectSelections(stage, reading, queriesOf(list, activity.events, classes));
        await expectSameAsList(stage, reading, hiddenQueries(list));
        await refusesOrSelectsNothing(stage, operation, unlisted, activity.events);
      },
    ),

    check(
      clauses.ids,
      `${what} respects the filters by id, attribution and credits`,
      { feature },
      async (stage) => {
        const activity = await act(stage);
        const reading = await readings(stage, activity.since);
        await expectSelections(stage, reading, queriesOf(list, activity.events, ids));
        await refusesOrSelectsNothing(stage, operation, [contradiction, unknownCredential], activity.events);
      },
    ),
  ];
}
