import { type Check, check, type Stage } from "../../runner/check.ts";
import type { Account, Query } from "../../subject/account.ts";
import { usable } from "../../subject/account.ts";
import type { Answer, Located } from "../../judge/answer.ts";
import { Unverifiable } from "../../judge/verdict.ts";
import {
  byChargeOutcome,
  byCredits,
  byExecution,
  byHasOutcome,
  byInstant,
  byKind,
  byList,
  byOutcome,
  byReason,
  byReview,
  bySearch,
  bySuccess,
  byType,
  daysAround,
  discoverEvent,
  eventsApart,
  type History,
  idOf,
  justBefore,
  keyOf,
  listed,
  makeHistory,
  type Selection,
  selectsExactly,
  settledOf,
  unlisted,
} from "./history.ts";

/** A check that the list keeps to the filters on an account with a small history. */
const selects = (
  clause: Check["clauses"][number],
  title: string,
  filters: (history: History, stage: Stage) => Selection[],
  { querying = false } = {},
): Check =>
  check(clause, title, async (stage) => {
    const history = await makeHistory(stage, { querying });
    const selections = filters(history, stage);
    if (selections.length === 0) throw new Unverifiable("no event shows by what this filter selects");
    await selectsExactly(stage, byList, history.since, selections);
  });

/** Refused as an invalid query: 400 with status_code -7. */
function expectInvalid({ expect }: Stage, answer: Answer): void {
  expect(answer).toHaveStatus(400);
  expect(answer.at("status_code")).toBe(-7);
}

const accepts = async (account: Account, query: Query): Promise<void> =>
  void usable(await account.usage(query));

const unknownUuid = "00000000-0000-4000-8000-000000000000";

/** The filters of the usage query. */
export const checks: Check[] = [
  check(
    ["USAG-46", "USAG-49"],
    "an event is of one calendar day: this day as start and end selects it, its neighbours do not",
    async ({ account, expect }) => {
      const event = await discoverEvent(account);
      let days = 0;
      for (const day of daysAround(event)) {
        const answer = usable(await account.usage({ start_date: day, end_date: day, page_size: 200 }));
        const ids = answer.at("data.items").items.map(idOf);
        days += Number(ids.includes(idOf(event)));
      }
      expect(days, "the days that hold the event, each as start and end").toBe(1);
    },
  ),

  check("USAG-47", "start_date as a datetime leaves out what happened before", async (stage) => {
    const [early, middle] = await eventsApart(stage.account);
    await selectsExactly(stage, byList, justBefore(early), [byInstant(middle).start]);
  }),

  check("USAG-48", "end_date as a datetime leaves out what happened after", async (stage) => {
    const [early, middle] = await eventsApart(stage.account);
    await selectsExactly(stage, byList, justBefore(early), [byInstant(middle).end]);
  }),

  check("USAG-50", "a datetime with an offset is the same instant as in UTC", async (stage) => {
    const [early, middle] = await eventsApart(stage.account);
    for (const offset of [480, -330]) {
      const { start, end } = byInstant(middle, offset);
      await selectsExactly(stage, byList, justBefore(early), [start, end]);
    }
  }),

  check("USAG-51", "a date of an invalid format is refused with 400 and -7", async (stage) => {
    const { account, expect } = stage;
    const valid = { start_date: "2024-02-29", end_date: "2026-01-15T12:00:00Z" };
    expect(await account.usage(valid)).toHaveStatus(200);
    for (const name of ["start_date", "end_date"]) {
      for (const value of ["yesterday", "20/11/2026", "11/20/2026"]) {
        expectInvalid(stage, await account.usage({ [name]: value }));
      }
    }
  }),

  selects("USAG-52", "event_type selects exactly the events of that type", byType, { querying: true }),
  selects("USAG-54", "kind selects exactly the events of its types", byKind, { querying: true }),
  selects("USAG-55", "success selects exactly the events with that recorded success", bySuccess),
  selects("USAG-59", "outcome selects exactly the events with that execution outcome", (history, stage) => {
    const known = history.events.some((event) => event.at("execution_outcome.outcome").present);
    if (!known) throw new Unverifiable("no event shows an execution_outcome.outcome");
    return byOutcome(history, stage);
  }),
  selects("USAG-60", "reason_code selects exactly the events with that reason", (history) => {
    const known = history.events.some((event) => event.at("execution_outcome").present);
    if (!known) throw new Unverifiable("no event shows an execution_outcome, whose reason is asked for");
    return byReason(history);
  }),
  selects("USAG-61", "has_execution_outcome tells events by their structured outcome", byHasOutcome),
  selects("USAG-62", "charge_outcome selects exactly the events with that outcome", byChargeOutcome),

  check(
    "USAG-63",
    "anomaly failed_charged_review selects exactly the events under review",
    { needs: ["tool.failed_charged"], credits: 10 },
    async (stage) => {
      const { since } = await makeHistory(stage);
      await stage.account.call(stage.tool("failed_charged"));
      await stage.account.settled();
      await selectsExactly(stage, byList, since, byReview());
    },
  ),

  selects("USAG-66", "search_id selects exactly the events of that search", bySearch),
  selects("USAG-67", "execution_id selects exactly the event of that Call", byExecution),
  selects("USAG-73", "min_credits and max_credits select by the amount, bounds included", byCredits),

  check(
    ["USAG-53", "USAG-60", "USAG-66", "USAG-67"],
    "a value that is not listed, or the beginning of one that an event has, is refused or selects nothing",
    async (stage) => {
      const { account, expect } = stage;
      const { events, since } = await makeHistory(stage);
      const begun = ["search_id", "execution_id", "reason_code"].flatMap((name): Query[] => {
        const values = events.map((event) => event.at(name).value);
        const whole = values.find((value) => typeof value === "string" && value.length > 3);
        const part = String(whole).slice(0, -3);
        return whole === undefined || values.includes(part) ? [] : [{ start_date: since, [name]: part }];
      });
      for (const query of [...unlisted, ...begun]) {
        const answer = await account.usage(query);
        expect(answer).toHaveStatus(200, 400, 422);
        if (answer.status === 200) expect(answer.at("data.items")).toBeEmpty();
      }
    },
  ),

  check(
    "USAG-56",
    "a boolean parameter that holds no boolean is refused with 422",
    async ({ account, expect }) => {
      const names = ["success", "billable_success", "has_execution_outcome", "include_details", "summary"];
      for (const name of names) {
        expect(await account.usage({ [name]: true })).toHaveStatus(200);
        expect(await account.usage({ [name]: "maybe" })).toHaveStatus(422);
      }
    },
  ),

  check("USAG-57", "no event is billable both with success and without", async (stage) => {
    const { account, expect } = stage;
    const { since } = await makeHistory(stage);
    const good = (await listed(account, { start_date: since, billable_success: true })).map(idOf);
    const bad = (await listed(account, { start_date: since, billable_success: false })).map(idOf);
    if (good.length + bad.length === 0) throw new Unverifiable("no event has a billable success");
    expect(
      good.filter((id) => bad.includes(id)),
      "the events on both sides",
    ).toBe([]);
  }),

  check(
    "USAG-58",
    "billable_success agrees with the charge outcome",
    { needs: ["tool.provider_error"] },
    async (stage) => {
      const { account, expect } = stage;
      const { since } = await makeHistory(stage);
      for (const [billable, outcomes] of [
        [true, ["charged", "included"]],
        [false, ["failed_not_charged", "failed_charged_review"]],
      ] as const) {
        for (const event of await listed(account, { start_date: since, billable_success: billable })) {
          if (event.at("charge_outcome").present) expect(event.at("charge_outcome")).toBeOneOf(outcomes);
        }
      }
      expect(await account.usage({ billable_success: true })).toHaveStatus(200);
    },
  ),

  check(
    "USAG-64",
    "anomaly missing_ledger_link selects no event with a link, and none that moved no balance",
    { needs: ["tool.charged"] },
    async (stage) => {
      const { account, expect } = stage;
      const { since } = await makeHistory(stage);
      const missing = await listed(account, { start_date: since, anomaly: "missing_ledger_link" });
      for (const event of missing) {
        expect(event.at("credits_ledger_entry_id").value ?? null, "the ledger link").toBe(null);
        expect(settledOf(event) === 0, "whether the event moved no balance").toBe(false);
      }
      expect(missing.length, "the events without a ledger link").toBeBetween(
        0,
        (await listed(account, { start_date: since })).length,
      );
    },
  ),

  check(
    "USAG-65",
    "anomaly missing_billing_snapshot selects no event that carries a snapshot",
    { needs: ["tool.charged"] },
    async (stage) => {
      const { account, expect } = stage;
      const { events, since } = await makeHistory(stage);
      if (!events.some((event) => event.at("billing_rule_snapshot").present)) {
        throw new Unverifiable("no event shows its billing_rule_snapshot");
      }
      const missing = await listed(account, { start_date: since, anomaly: "missing_billing_snapshot" });
      const snapshots = missing.filter((event) => event.at("billing_rule_snapshot").present).map(idOf);
      expect(snapshots, "the events with a snapshot among those without").toBe([]);
    },
  ),

  check("USAG-68", "an attribution that no event has selects nothing", async (stage) => {
    const { account, expect, unique } = stage;
    await makeHistory(stage);
    for (const query of [{ api_key_id: unknownUuid }, { oauth_client_id: unique("client") }]) {
      expect(usable(await account.usage(query)).at("data.items")).toBeEmpty();
    }
    // Some servers know their credential types, and say so.
    const answer = await account.usage({ credential_type: "no_such_type" });
    expect(answer).toHaveStatus(200, 400, 422);
    if (answer.status === 200) expect(answer.at("data.items")).toBeEmpty();
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
        const ids = (await listed(account, { start_date: justBefore(events[0]!), api_key_id: key })).map(
          idOf,
        );
        expect(ids.includes(idOf(events[index]!)), "whether the key's event is selected").toBe(true);
        expect(ids.includes(idOf(events[1 - index]!)), "whether the other key's is").toBe(false);
      }
    },
  ),

  check("USAG-70", "an api_key_id that is no UUID is refused with 422", async ({ account, expect }) => {
    expect(await account.usage({ api_key_id: unknownUuid })).toHaveStatus(200);
    expect(await account.usage({ api_key_id: "not-a-uuid" })).toHaveStatus(422);
  }),

  check(
    "USAG-71",
    "an oauth_client_id of 2048 characters is accepted, a longer one refused with 422",
    async ({ account, expect }) => {
      expect(await account.usage({ oauth_client_id: "c".repeat(2048) })).toHaveStatus(200);
      expect(await account.usage({ oauth_client_id: "c".repeat(2049) })).toHaveStatus(422);
    },
  ),

  check("USAG-72", "a credential_type of more than 32 characters is refused with 422", async (stage) => {
    const { account, expect } = stage;
    expect(await account.usage({ oauth_client_id: "client" })).toHaveStatus(200);
    expect(await account.usage({ credential_type: "c".repeat(33) })).toHaveStatus(422);
  }),

  check(
    ["USAG-74", "USAG-75"],
    "credits below 0, or a least above the greatest, are refused with 400 and -7",
    async (stage) => {
      const { account } = stage;
      await accepts(account, { min_credits: 0, max_credits: 0 });
      await accepts(account, { min_credits: 1, max_credits: 1.5 });
      for (const query of [
        { min_credits: -1 },
        { max_credits: -0.5 },
        { min_credits: 2, max_credits: 1.5 },
        { min_credits: 1, max_credits: 0 },
      ]) {
        expectInvalid(stage, await account.usage(query));
      }
    },
  ),

  check("USAG-76", "a bucket other than hour, day and week is refused with 400 and -7", async (stage) => {
    const { account } = stage;
    for (const bucket of ["hour", "day", "week"]) await accepts(account, { summary: true, bucket });
    for (const bucket of ["month", "minute"]) {
      expectInvalid(stage, await account.usage({ summary: true, bucket }));
    }
  }),

  check(
    "USAG-77",
    "several filters together select exactly what satisfies each of them",
    { needs: ["tool.charged", "tool.provider_error"] },
    async (stage) => {
      const { searchId, charged, since } = await makeHistory(stage);
      const is = (event: Located, name: string, value: unknown): boolean => event.at(name).value === value;
      const contradictory: Query[] = [
        { event_type: "search", kind: "model" },
        { execution_id: charged!.at("execution_id").string, search_id: `${searchId}x` },
        { charge_outcome: "charged", reason_code: "oauth_signin_required" },
      ];
      await selectsExactly(stage, byList, since, [
        {
          query: { kind: "discover", search_id: searchId, success: true },
          must: (event) =>
            ["search", "search_by_ids"].includes(String(event.at("event_type").value)) &&
            is(event, "search_id", searchId) &&
            is(event, "success", true),
        },
        {
          query: { event_type: "tool_execute", charge_outcome: "failed_not_charged", search_id: searchId },
          must: (event) =>
            is(event, "event_type", "tool_execute") &&
            is(event, "charge_outcome", "failed_not_charged") &&
            is(event, "search_id", searchId),
        },
        {
          query: { execution_id: charged!.at("execution_id").string, success: false },
          must: () => false,
        },
        ...contradictory.map((query) => ({ query, must: () => false })),
      ]);
    },
  ),
];
