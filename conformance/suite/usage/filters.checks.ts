import { buckets, chargeOutcomeMeanings, chargeOutcomes } from "../../../generated/contract.ts";
import type { ClauseId } from "../../../generated/clauses.ts";
import { type Check, check } from "../../run/check.ts";
import type { Query } from "../../server/account.ts";
import { costsIn, filtersOf, keyOf, queriesOf, unknownUuid } from "../../books/filters.ts";
import { idOf, justBefore } from "../../books/listed.ts";
import {
  byPages,
  expectSelections,
  keepsToDays,
  keepsToInstants,
  keepsToOffsets,
} from "../../server/selection.ts";
import type { Located } from "../../judge/answer.ts";
import { isZoneless } from "../../judge/instant.ts";
import { settledOf } from "../../judge/rows.ts";
import { Unverifiable } from "../../judge/verdict.ts";
import { act, anyEvent, discoverEvent, eventsApart, everyFilter, listed } from "./activity.ts";
import { each } from "../../server/requests.ts";
import { dates, refuses } from "../refusals.ts";
import { refusesOrSelectsNothing, unknownCredential, unlisted } from "./rows.ts";

const list = "listUsage";

/** A check that the list applies some filters to an account's recent actions. */
const selects = (
  clauses: ClauseId | ClauseId[],
  title: string,
  filters: (events: readonly Located[]) => Query[],
  { querying = false } = {},
): Check =>
  check(clauses, title, async (stage) => {
    const { events, since } = await act(stage, { querying });
    const queries = filters(events);
    if (queries.length === 0) throw new Unverifiable("no event shows what this filter selects by");
    await expectSelections(stage, { list, within: { start_date: since } }, queries);
  });

/** The filters whose check is like that of all others; the first two also by a capability query. */
const byTable = filtersOf(list).flatMap(([name, { says }]) =>
  says === undefined
    ? []
    : selects(...says, (events) => queriesOf(list, events, [name]), {
        querying: name === "event_type" || name === "kind",
      }),
);

const booleans = ["success", "billable_success", "has_execution_outcome", "include_details", "summary"];

const byDates = [
  check(["USAG-46", "USAG-49"], "a bare date selects whole days, the end day included", async (stage) => {
    const event = await anyEvent(stage.account);
    await keepsToDays(stage, { list }, event);
  }),

  check(
    ["USAG-47", "USAG-48"],
    "start_date and end_date as datetimes leave out what happened before and after",
    async (stage) => {
      const events = await eventsApart(stage.account);
      const within = { start_date: justBefore(events[0]) };
      await keepsToInstants(stage, { list, read: byPages(list), within }, events);
    },
  ),

  check("USAG-50", "a datetime with an offset is the same instant as in UTC", async (stage) => {
    const events = await eventsApart(stage.account);
    if (isZoneless(events[0].at("created_at").value)) {
      throw new Unverifiable("created_at names no zone, so its instant is not known");
    }
    await keepsToOffsets(stage, { list, within: { start_date: justBefore(events[0]) } }, events);
  }),

  refuses("USAG-51", "a date of an invalid format is refused with 400 and -7", list, {
    valid: [{ start_date: "2024-02-29", end_date: "2026-01-15T23:59:59Z" }],
    invalid: each(dates, ["yesterday", "20/11/2026", "11/20/2026"]),
    with: "400 and -7",
  }),
];

const anomalies = [
  check(
    "USAG-63",
    "anomaly failed_charged_review selects exactly the events under review",
    { needs: ["tool.failed_charged"], credits: 10 },
    async (stage) => {
      const { since } = await act(stage);
      await stage.account.call(stage.tool("failed_charged"));
      await stage.account.settled();
      const query = { anomaly: "failed_charged_review" };
      await expectSelections(stage, { list, within: { start_date: since } }, [query]);
    },
  ),

  check(
    "USAG-64",
    "anomaly missing_ledger_link selects no event with a link",
    { needs: ["tool.charged"] },
    async (stage) => {
      const { since } = await act(stage);
      const missing = await listed(stage.account, { start_date: since, anomaly: "missing_ledger_link" });
      const wrong = missing.filter((event) => event.at("credits_ledger_entry_id").present);
      stage.expect(wrong.map(idOf), "the events with a link").toBe([]);
    },
  ),

  check(
    "USAG-78",
    "anomaly missing_ledger_link selects no event that moved no balance",
    { needs: ["tool.charged"] },
    async (stage) => {
      const { since } = await act(stage);
      const missing = await listed(stage.account, { start_date: since, anomaly: "missing_ledger_link" });
      const wrong = missing.filter((event) => settledOf(event) === 0);
      stage.expect(wrong.map(idOf), "the events without a movement").toBe([]);
    },
  ),

  check(
    "USAG-65",
    "anomaly missing_billing_snapshot selects no event that carries a snapshot",
    { needs: ["tool.charged"] },
    async (stage) => {
      const { events, since } = await act(stage);
      // Which of the two is the billing snapshot is open.
      const hasSnapshot = (event: Located): boolean =>
        event.at("billing_rule_snapshot").present && event.at("pre_settlement_bill").present;
      if (!events.some(hasSnapshot)) throw new Unverifiable("no event shows its billing snapshot");
      const missing = await listed(stage.account, { start_date: since, anomaly: "missing_billing_snapshot" });
      const wrong = missing.filter(hasSnapshot).map(idOf);
      stage.expect(wrong, "the events with a snapshot among those without").toBe([]);
    },
  ),
];

const billableSuccess = [
  check("USAG-57", "no event is billable both with success and without", async (stage) => {
    const { account, expect } = stage;
    const { since, events } = await act(stage);
    const good = (await listed(account, { start_date: since, billable_success: true })).map(idOf);
    const bad = (await listed(account, { start_date: since, billable_success: false })).map(idOf);
    // Which events have one is open, but not that one that was charged has.
    const charged = events.filter((event) => event.at("charge_outcome").value === "charged").map(idOf);
    const lost = charged.filter((id) => !good.includes(id) && !bad.includes(id));
    expect(lost, "the charged events that neither value selects").toBeEmpty();
    if (good.length + bad.length === 0) throw new Unverifiable("no event has a billable success");
    const both = good.filter((id) => bad.includes(id));
    expect(both, "the events that both values select").toBe([]);
  }),

  check(
    "USAG-58",
    "billable_success agrees with the charge outcome, also where the recorded success does not",
    { needs: ["tool.provider_error"], credits: 8 },
    async (stage) => {
      const { account, expect, profile, tool } = stage;
      const { since } = await act(stage);
      // Successful but not billable events, if a tool produces them.
      if (profile.tools.partial_success) await account.call(tool("partial_success"));
      await account.settled();
      for (const billable of [true, false]) {
        const outcomes = chargeOutcomes.filter(
          (outcome) => chargeOutcomeMeanings[outcome].effectiveSuccess === billable,
        );
        const answer = await account.usage({
          start_date: since,
          billable_success: billable,
          include_details: true,
        });
        expect(answer).toHaveStatus(200);
        for (const event of answer.at("data.items").items) {
          if (event.at("charge_outcome").present) expect(event.at("charge_outcome")).toBeOneOf(outcomes);
        }
      }
    },
  ),
];

const attribution = [
  check("USAG-68", "an attribution that no event has selects nothing", async (stage) => {
    const { account, expect, unique } = stage;
    await act(stage);
    for (const query of [{ api_key_id: unknownUuid }, { oauth_client_id: unique("client") }]) {
      const answer = await account.usage(query);
      expect(answer).toHaveStatus(200);
      expect(answer.at("data.items")).toBeEmpty();
    }
    // Some servers restrict the credential types to those they know, and texts to those they can store.
    const strange = [unknownCredential, { oauth_client_id: "client\u0000" }];
    await refusesOrSelectsNothing(stage, list, strange, []);
  }),

  check(
    "USAG-69",
    "api_key_id selects exactly the events of that key",
    { needs: ["second_key"] },
    async ({ account, expect, profile }) => {
      const second = account.withKey(profile.credentials.second_key_of_account!);
      const events = [await discoverEvent(account), await discoverEvent(second)];
      const keys = events.map(keyOf);
      if (!keys.every((key) => typeof key === "string")) {
        throw new Unverifiable("events do not show the id of their API key");
      }
      for (const [index, key] of keys.entries()) {
        const selected = await listed(account, { start_date: justBefore(events[0]!), api_key_id: key });
        const ids = selected.map(idOf);
        expect(ids.includes(idOf(events[index]!)), "whether the key's event is selected").toBe(true);
        expect(ids.includes(idOf(events[1 - index]!)), "whether the other key's event is").toBe(false);
      }
    },
  ),

  refuses("USAG-70", "an api_key_id that is not a UUID is refused", list, {
    valid: [{ api_key_id: unknownUuid }],
    invalid: [{ api_key_id: "not-a-uuid" }],
    with: "400 or 422",
  }),

  ...(
    [
      ["USAG-71", "oauth_client_id", 2048],
      ["USAG-72", "credential_type", 32],
    ] as const
  ).map(([clause, name, longest]) =>
    refuses(
      clause,
      `${name} of more than ${longest} characters is refused, and of exactly as many is valid`,
      list,
      {
        // Some servers know their credential types and refuse any other.
        valid: name === "oauth_client_id" ? [{ [name]: "c".repeat(longest) }] : [],
        invalid: [{ [name]: "c".repeat(longest + 1) }],
        with: "400 or 422",
      },
    ),
  ),
];

const invalid = [
  check(
    ["USAG-53", "USAG-60", "USAG-66", "USAG-67"],
    "a value that is not listed, or the beginning of one that an event has, is refused or selects nothing",
    async (stage) => {
      const { events, since } = await act(stage);
      const begun = ["search_id", "execution_id", "reason_code"].flatMap((name): Query[] => {
        const values = events.map((event) => event.at(name).value);
        const whole = values.find((value) => typeof value === "string" && value.length > 3);
        const part = String(whole).slice(0, -3);
        return whole === undefined || values.includes(part) ? [] : [{ start_date: since, [name]: part }];
      });
      await refusesOrSelectsNothing(stage, list, [...unlisted, ...begun], events);
    },
  ),

  refuses("USAG-56", "a boolean parameter takes true and false, and any other word is refused", list, {
    valid: each(booleans, [true, false]),
    invalid: each(booleans, ["maybe"]),
    with: "400 or 422",
  }),

  refuses(
    ["USAG-74", "USAG-75"],
    "credits below 0, or min_credits above max_credits, are refused with 400 and -7; equal bounds are valid",
    list,
    {
      valid: [
        { min_credits: 0, max_credits: 0 },
        { min_credits: 1, max_credits: 1.5 },
        { min_credits: 1.5, max_credits: 1.5 },
      ],
      invalid: [
        { min_credits: -1 },
        { max_credits: -0.01 },
        { min_credits: 1.52, max_credits: 1.5 },
        { min_credits: 1, max_credits: 0 },
      ],
      with: "400 and -7",
    },
  ),

  refuses("USAG-76", "a bucket other than hour, day and week is refused with 400 and -7", list, {
    valid: each("bucket", buckets, { summary: true }),
    invalid: each("bucket", ["month", "minute"], { summary: true }),
    with: "400 and -7",
  }),
];

/** The filters of the usage query. */
export const checks: readonly Check[] = [
  ...byDates,
  ...byTable,
  ...anomalies,
  ...billableSuccess,
  selects(
    ["USAG-73", "USAG-32"],
    "min_credits and max_credits select by the amount, bounds included",
    (events) => [
      ...queriesOf(list, events, ["min_credits", "max_credits"]),
      ...costsIn(events).map((bound) => ({ min_credits: bound, max_credits: bound })),
    ],
  ),
  ...attribution,
  ...invalid,

  check(
    "USAG-77",
    "several filters together select exactly what satisfies each of them",
    { needs: ["tool.charged", "tool.provider_error"] },
    async (stage) => {
      const { searchId, charged, since, events } = await act(stage);
      const execution_id = charged!.at("execution_id").string;
      await expectSelections(stage, { list, within: { start_date: since } }, [
        { kind: "discover", search_id: searchId, success: true },
        { event_type: "tool_execute", charge_outcome: "failed_not_charged", search_id: searchId },
        { execution_id, success: false },
        { event_type: "search", kind: "model" },
        { execution_id, search_id: `${searchId}x` },
        { charge_outcome: "charged", reason_code: "oauth_signin_required" },
        ...queriesOf(list, events, ["api_key_id", "credential_type"]).map((query) => ({
          ...query,
          kind: "discover",
        })),
      ]);
      const every = everyFilter(events);
      // A server need not count to know that the first page is empty.
      await refusesOrSelectsNothing(stage, list, [every, { ...every, page: 2 }], events);
    },
  ),
];
