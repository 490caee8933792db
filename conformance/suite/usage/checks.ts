import { check } from "../../run/check.ts";
import { usable } from "../../server/account.ts";
import type { Located } from "../../judge/answer.ts";
import { answeredAt } from "../../judge/answered-at.ts";
import type { Exchange } from "../../judge/exchange.ts";
import { shown } from "../../judge/expect.ts";
import { longestOf } from "../../judge/elapsed.ts";
import { microsIn, zonesApart } from "../../judge/instant.ts";
import { requestedOf, settledOf } from "../../judge/rows.ts";
import { unknownUuid } from "../../books/filters.ts";
import { createdAt, idOf, rowStep } from "../../books/listed.ts";
import { until } from "../../server/session.ts";
import { Blocked, Unverifiable } from "../../judge/verdict.ts";
import { act, anyEvent, discoverEvent, eventOf, eventsOfMinutes, recent } from "./activity.ts";

export const checks = [
  check("USAG-03", "a Discover leaves an event of type search", async ({ account, expect, unique }) => {
    const session = unique("session");
    const discover = usable(await account.discover({ query: "data", session_id: session }));
    await account.settled();
    const event = (await recent(account)).find(
      (event) => event.at("search_id").value === discover.at("search_id").string,
    );
    expect(event?.at("event_type") ?? event, "the event_type of the Discover's event").toBe("search");
    const given = event!.at("session_id");
    if (given.present) expect(given).toBe(session);
  }),

  check(
    "USAG-03",
    "a Discover has left its event once the audit lag is over",
    async ({ account, expect }) => {
      const searchId = usable(await account.discover({ query: "data", limit: 1 })).at("search_id").string;
      const isLeft = await until(
        account.lagMs,
        async () => (await recent(account)).some((event) => event.at("search_id").value === searchId),
        (found) => found,
      );
      // Here an audit without the events of any free request is not taken for a late one.
      if (!isLeft && account.profile.audit_lag === undefined) {
        throw new Unverifiable("how late the audit may be is not known", "audit_lag: SECONDS");
      }
      expect(isLeft, "whether the Discover has left an event").toBe(true);
    },
  ),

  check(
    "USAG-04",
    "an Inspect leaves an event of type search_by_ids",
    async ({ account, expect, unique }) => {
      const before = (await recent(account)).map(idOf);
      usable(await account.inspect({ tool_ids: [account.knownTool], session_id: unique("session") }));
      // `settled` waits for such an event, and cannot tell a late one from none; the event of a later Discover can.
      await discoverEvent(account);
      const isLeft = await until(
        account.lagMs,
        async () => {
          const added = (await recent(account)).filter((event) => !before.includes(idOf(event)));
          return added.some((event) => event.at("event_type").value === "search_by_ids");
        },
        (found) => found,
      );
      expect(isLeft, "whether a new event is of type search_by_ids").toBe(true);
    },
  ),

  check(
    ["USAG-05", "USAG-07"],
    "an executed Call leaves an event of type tool_execute with its execution_id",
    { needs: ["tool.charged"] },
    async ({ account, tool, expect }) => {
      const call = await account.succeed(tool("charged"));
      await account.settled();
      const id = call.at("execution_id").string;
      const event = (await recent(account)).find((event) => event.at("execution_id").value === id);
      expect(event?.value, `the event with execution_id ${id}`).toBePresent();
      expect(event!.at("event_type")).toBe("tool_execute");
      // An event of another session is not evidence of this Call.
      expect(
        (await account.usageOf(call)).value,
        "the event that is found by its execution_id",
      ).toBePresent();
    },
  ),

  check(
    ["USAG-08", "USAG-09"],
    "the event of a Call carries the session_id and the search_id that it was given",
    { needs: ["tool.charged"] },
    async ({ account, tool, expect, unique }) => {
      // Longer than most kinds of id, and in mixed case.
      const session = unique("Session-of-one-Task-in-both-Cases");
      const discover = usable(await account.discover({ query: "data", session_id: session }));
      const search = discover.at("search_id").string;
      const call = await account.succeed(tool("charged"), { session_id: session, search_id: search });
      const [event] = await account.usageEventsOf(call.at("execution_id").string);
      if (event === undefined) throw new Blocked("the Call has left no event", call.exchange);
      expect(event.at("session_id")).toBe(session);
      expect(event.at("search_id")).toBe(search);
    },
  ),

  check(
    ["USAG-10", "USAG-03", "USAG-04"],
    "every Discover and Inspect leaves an event with its session_id and its search_id",
    async ({ account, expect, unique }) => {
      const session = unique("session");
      const queries = [{ query: "data" }, { query: "data", view: "routing" }, { query: unique("qzxvj") }];
      const searches: string[] = [];
      for (const query of queries) {
        const discover = usable(await account.discover({ ...query, session_id: session }));
        searches.push(discover.at("search_id").string);
      }
      const tool_ids = [account.knownTool];
      usable(await account.inspect({ tool_ids, session_id: session, view: "full" }));
      const given = { session_id: session, view: "lean", search_id: searches[0] };
      const inspected = usable(await account.inspect({ tool_ids, ...given }));
      await account.settled();
      const mine = (await recent(account)).filter((event) => event.at("session_id").value === session);
      const searchIdsOf = (type: string): unknown[] =>
        mine
          .filter((event) => event.at("event_type").value === type)
          .map((event) => event.at("search_id").value);
      const found = searchIdsOf("search");
      const lost = searches.filter((id) => !found.includes(id));
      expect(lost, "the search_ids of Discovers that no event of the session has").toBe([]);
      const inspects = searchIdsOf("search_by_ids");
      expect(inspects.length, "the events of the two Inspects of the session").toBeAtLeast(2);
      // Its own search_id, or that of the preceding Discover.
      const named = [searches[0], inspected.at("search_id").value];
      expect(inspects, "the search_ids of the Inspects").toSatisfy(
        `to hold ${String(searches[0])}, which one of them was given`,
        (ids) => (ids as unknown[]).some((id) => named.includes(id as string)),
      );
    },
  ),

  check(
    "USAG-11",
    "the event of a Call names the tool that was called",
    { needs: ["tool.charged"] },
    async ({ account, tool, expect }) => {
      const { id } = tool("charged");
      const inBody = await account.succeed(tool("charged"));
      const inQuery = await account.call(tool("charged"), { tool_id: undefined }, { query: { tool_id: id } });
      for (const call of [inBody, usable(inQuery)]) {
        expect((await eventOf(account, call)).at("tool_id")).toBe(id);
      }
    },
  ),

  check(
    ["USAG-08", "USAG-09", "USAG-11"],
    "the event of a failed Call carries the session_id, the search_id and the tool_id that it was given",
    { needs: ["tool.provider_error"] },
    async ({ account, tool, expect, unique }) => {
      const session = unique("session");
      const search = usable(await account.discover("data")).at("search_id").string;
      const use = tool("provider_error");
      const event = await eventOf(
        account,
        await account.call(use, { session_id: session, search_id: search }),
      );
      expect(event.at("session_id")).toBe(session);
      expect(event.at("search_id")).toBe(search);
      expect(event.at("tool_id")).toBe(use.id);
    },
  ),

  check(
    "USAG-14",
    "the duration of a Call's event is in milliseconds",
    { needs: ["tool.slow"] },
    async ({ account, tool, expect }) => {
      const call = await account.call(tool("slow"));
      const elapsed = Number(call.at("elapsed_time_ms").value);
      if (!(elapsed >= leastElapsed))
        throw new Unverifiable(`the Call does not say that it took ${leastElapsed} ms`);
      const duration = (await eventOf(account, call)).at("duration_ms");
      if (typeof duration.value !== "number") throw new Unverifiable("the event shows no duration_ms");
      expect(duration).toBeBetween(elapsed / roughly, longestOf(call.exchange));
    },
  ),

  check("USAG-14", "no event reports more time than its client waited", async (stage) => {
    const started = performance.now();
    const { events } = await act(stage, { querying: true, anew: true });
    const longest = longestOf({ duration_ms: performance.now() - started });
    const durations = events.map((event) => event.at("duration_ms"));
    const stated = durations.filter(({ value }) => typeof value === "number");
    // The table of an event's fields does not say that every event has each, and the clause reads "where it is a number".
    if (stated.length === 0) throw new Unverifiable("no event shows its duration_ms");
    for (const duration of stated) stage.expect(duration).toBeBetween(0, longest);
  }),

  check(
    ["USAG-13"],
    "the event of a failed Call says what failed",
    { needs: ["tool.provider_error"] },
    async ({ account, tool, expect }) => {
      const event = await eventOf(account, await account.call(tool("provider_error")));
      expect(event.at("error_message")).toBeA("string");
      expect(event.at("error_message")).toHoldSomething();
    },
  ),

  check(
    "USAG-22",
    "the event of a Call that moved no balance links to no ledger entry",
    { needs: ["tool.provider_error"] },
    async ({ account, tool, expect }) => {
      const event = await eventOf(account, await account.call(tool("provider_error")));
      if ((settledOf(event) ?? 0) > 0) throw new Unverifiable("the failed Call moved the balance");
      expect(event.at("credits_ledger_entry_id").value ?? null, "credits_ledger_entry_id").toBe(null);
    },
  ),

  check(
    "USAG-16",
    "the billing rule of a Call's event is the tool's own",
    { needs: ["tool.charged"] },
    async ({ account, tool, expect }) => {
      const inspected = usable(await account.inspect([tool("charged").id])).at("results.0.billing_rule");
      const event = await eventOf(account, await account.succeed(tool("charged")));
      const snapshot = event.at("billing_rule_snapshot");
      const shown = ["unit", "amount_credits"].filter((name) => inspected.at(name).present);
      if (shown.length === 0 || !snapshot.present) {
        throw new Unverifiable("the billing rule is not shown on both");
      }
      for (const name of shown) expect(snapshot.at(name)).toBe(inspected.at(name).value);
    },
  ),

  check(
    "USAG-15",
    "the event of a charged Call carries its outcome, its billing rule, its bill and its settlement",
    { needs: ["tool.charged"] },
    async ({ account, tool, expect }) => {
      const event = await eventOf(account, await account.succeed(tool("charged")));
      for (const name of [
        "execution_outcome",
        "billing_rule_snapshot",
        "pre_settlement_bill",
        "settlement_result",
      ]) {
        expect(event.at(name)).toBePresent();
      }
    },
  ),

  check(
    "USAG-18",
    "the event of a charged Call carries its requested and its settled amount",
    { needs: ["tool.charged"] },
    async ({ account, tool, expect }) => {
      const event = await eventOf(account, await account.succeed(tool("charged")));
      expect(requestedOf(event), "the requested amount of the event").toBePresent();
      expect(settledOf(event), "the settled amount of the event").toBePresent();
    },
  ),

  check(
    ["USAG-21", "USAG-23"],
    "the event of a charged Call links to a ledger entry that can be read, whatever respond_with says",
    { needs: ["tool.charged"], credits: 6 },
    async ({ account, profile, tool, expect }) => {
      const lag = account.lagMs;
      const projections = profile.features.projection === undefined ? ["summary", "fields:$"] : [];
      for (const respond_with of [undefined, ...projections]) {
        const call = await account.call(tool("charged"), { respond_with });
        // What a projection contains is judged elsewhere.
        if (respond_with !== undefined && (call.status !== 200 || !call.at("execution_id").present)) continue;
        const event = await until(
          lag,
          () => eventOf(account, usable(call)),
          (event) => event.at("credits_ledger_entry_id").present,
        );
        const { value: outcome } = event.at("charge_outcome");
        if (outcome !== "charged") {
          // A view of the result may be free.
          if (respond_with !== undefined) continue;
          throw new Blocked(`charge_outcome of the charged tool's Call: ${shown(outcome)}`, event.exchange);
        }
        const link = event.at("credits_ledger_entry_id");
        expect(link, `credits_ledger_entry_id with respond_with ${respond_with ?? "omitted"}`).toBePresent();
        const id = String(link.value);
        const entry = await until(
          lag,
          () => account.ask("getLedgerEntry", { parameter: id }),
          ({ status }) => status === 200,
        );
        expect(entry).toHaveStatus(200);
        expect(idOf(entry.at("data")), "the id of the entry that the event links to").toBe(id);
      }
    },
  ),

  check("USAG-24", "an event a minute after another has another created_at", async ({ account, expect }) => {
    const [older, newer] = await eventsOfMinutes(account);
    const isSame = createdAt(newer) === createdAt(older);
    if (isSame && createdAt(newer) % microsIn.minute === 0)
      throw new Unverifiable("created_at is coarser than a minute");
    expect(isSame, "whether created_at stands still for a minute").toBe(false);
  }),

  check(
    "USAG-25",
    "created_at lies between the request and its answer, give or take two minutes",
    async ({ account, expect, profile, tool }) => {
      const expectNow = async (made: () => Promise<Located>): Promise<void> => {
        const { session } = account;
        const sentAt = session.now() * 1000;
        const event = await made();
        const apart = microsAhead(session.last!);
        const [from, to] = [sentAt + apart, session.now() * 1000 + apart];
        const { before, after } = zonesApart(event.at("created_at").value);
        expect(createdAt(event), "created_at in microseconds").toBeBetween(
          from - clocksApart - after,
          to + clocksApart + before,
        );
      };
      await expectNow(() => discoverEvent(account));
      if (profile.tools.charged === undefined) return;
      await expectNow(async () => eventOf(account, await account.succeed(tool("charged"))));
    },
  ),

  check(
    "USAG-26",
    "an event is read by its id and agrees with the list",
    { needs: ["tool.charged"] },
    async (stage) => {
      const { account, expect } = stage;
      const { events: made, since } = await act(stage, { querying: true });
      const shown = await account.events({ start_date: since, page_size: 50 });
      for (const event of made.slice(0, 3)) {
        const brief = shown.find((one) => idOf(one) === idOf(event));
        const answer = await account.ask("getUsageEvent", { parameter: idOf(event) });
        expect(answer).toHaveStatus(200);
        for (const name of lasting) {
          // A list may show less than a read by id.
          for (const one of [event, brief]) {
            if (!one?.at(name).present) continue;
            const [listed, read] = [one.at(name), answer.at(`data.${name}`)];
            // Of two that differ, the one that is not a plain value is wrong.
            if (typeof listed.value === "object") expect(listed).toBe(read.value);
            else expect(read).toBe(listed.value);
          }
        }
        const step = rowStep(event);
        expect(createdAt(answer.at("data")), "created_at of the event in microseconds").toBeBetween(
          createdAt(event) - step,
          createdAt(event) + step,
        );
        expect(settledOf(answer.at("data")), "the settled amount of the event").toBe(settledOf(event));
      }
    },
  ),

  check("USAG-27", "an event_id that is not a UUID is refused", async ({ account, expect }) => {
    const event = await anyEvent(account);
    expect(await account.ask("getUsageEvent", { parameter: idOf(event) })).toHaveStatus(200);
    // It is both invalid and unknown; the contract does not say which is reported first.
    const answer = await account.ask("getUsageEvent", { parameter: "not-a-uuid" });
    expect(answer).toHaveStatus(400, 404, 422);
  }),

  check("USAG-28", "an unknown event_id is not answered with success", async ({ account, expect }) => {
    const event = await anyEvent(account);
    expect(await account.ask("getUsageEvent", { parameter: idOf(event) })).toHaveStatus(200);
    const answer = await account.ask("getUsageEvent", { parameter: unknownUuid });
    expect(answer).toHaveFoundNothing();
  }),

  check(
    "USAG-29",
    "an event of another account is not answered with success",
    { needs: ["other_account"] },
    async ({ account, other, profile, tool, expect }) => {
      const stranger = await other();
      const events = [await anyEvent(stranger)];
      if (profile.tools.charged !== undefined)
        events.push(await eventOf(stranger, await stranger.succeed(tool("charged"))));
      for (const event of events) {
        expect(await stranger.ask("getUsageEvent", { parameter: idOf(event) })).toHaveStatus(200);
        const answer = await account.ask("getUsageEvent", { parameter: idOf(event) });
        expect(answer).toHaveFoundNothing();
        expect(answer.said.includes(idOf(event)) && answer.status === 200, "whether it is shown").toBe(false);
      }
    },
  ),
];

/** Tolerance for clock skew between judge and server, in microseconds. */
const clocksApart = 120 * microsIn.second;

/** How far the server's clock is ahead of the judge's, by its `Date`. */
function microsAhead(exchange: Exchange): number {
  const { response, started_at: startedAt, duration_ms: took } = exchange;
  if (response === null) return 0;
  const { seconds } = answeredAt({ headers: response.headers, exchange });
  return (1000 * seconds - (startedAt + took)) * 1000;
}

/** Latency of a Call in milliseconds that cannot be mistaken for seconds. */
const leastElapsed = 300;

/** Tolerated ratio between the event's latency and the measured one: only a wrong unit exceeds it. */
const roughly = 100;

/** The parts of an event that are the same in every read, apart from its amounts and its timestamp. */
const lasting = [
  "id",
  "event_type",
  "source_system",
  "source_ref_type",
  "source_ref_id",
  "session_id",
  "search_id",
  "execution_id",
  "tool_id",
  "success",
  "charge_outcome",
  "reason_code",
  "duration_ms",
  "credits_ledger_entry_id",
] as const;
