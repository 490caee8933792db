import { credits, micro } from "../billing/money.ts";
import { inCredits } from "../billing/price.ts";
import { billingSummary, settlementSnapshot, unpriced, type MoneyFields } from "../billing/statement.ts";
import { readToolStats } from "../catalog/tool-stats.ts";
import { preferredLanguage } from "../http/language.ts";
import { failure, type Operation } from "../http/operation.ts";
import { failedSearchId } from "../http/refusals.ts";
import { newSearchId } from "../ids.ts";
import type { Settlement } from "../parts.ts";
import { capabilityResult, routingCard } from "./capability-result.ts";
import { usageEvent } from "./usage-event.ts";

/** Ranked capabilities for a query, or the exact tool (contract: Discover). Leaves one usage event. */
export const discover: Operation<"discover"> = async ({ body, headers, caller }, context) => {
  const { books, catalog, clock, config, database, pricing } = context;
  const startedAt = clock.now();
  const language = body.lang ?? preferredLanguage(headers["accept-language"]);
  const tools = catalog.search(body.query, body.limit);
  const toolIds = tools.map(({ tool_id }) => tool_id);
  const stats = await readToolStats(database, body.view === "routing" ? [] : toolIds);
  const results =
    body.view === "routing"
      ? tools.map((tool) => routingCard(tool, pricing))
      : tools.map((tool) => capabilityResult(tool, language, stats.get(tool.tool_id)));
  const searchId = newSearchId(context);
  const elapsed = clock.now() - startedAt;

  const recorded = await books.record(
    usageEvent(
      {
        caller,
        eventType: "search",
        displayTarget: body.query.slice(0, 200),
        durationMs: elapsed,
        sessionId: body.session_id,
        searchId,
        query: body.query,
        success: true,
        request: { query: body.query, limit: body.limit, view: body.view, lang: language },
        response: { total: results.length, tool_ids: toolIds },
      },
      searchMoney(config.discoverPrice),
    ),
  );
  if (recorded === "insufficient") {
    const message = `This search costs ${inCredits(micro(config.discoverPrice))}, more than the account has left.`;
    return {
      status: 402,
      body: {
        ...failure(402, message),
        search_id: failedSearchId,
        total: 0,
        results: [],
        error_message: message,
        remaining_credits: 0,
      },
    };
  }
  return {
    status: 200,
    body: {
      query: body.query,
      search_id: searchId,
      total: results.length,
      results,
      elapsed_time_ms: elapsed,
      remaining_credits: credits(recorded.remaining),
      error_message: null,
    },
  };
};

/** What the event of a search says of money: nothing where it is free, its fixed price where a deployment charges. */
function searchMoney(price: number): MoneyFields {
  if (price === 0) return unpriced("result.valid");
  const amount = micro(price);
  const settlement: Settlement = {
    billableSuccess: true,
    amount,
    chargeOutcome: "charged",
    reason: "result.valid",
  };
  const summary = `${inCredits(amount)}: 1 search`;
  return {
    ...unpriced("result.valid"),
    charge_outcome: "charged",
    billing_snapshot_status: "captured",
    billing_rule_snapshot: { unit: "request", amount_credits: price },
    pre_settlement_bill: {
      summary,
      list_amount_credits: price,
      unit: "request",
      unit_price_credits: price,
      quantity: 1,
    },
    settlement_result: settlementSnapshot(settlement),
    billing_unit: "request",
    unit_price: amount,
    quantity: 1,
    list_amount: amount,
    requested_amount: amount,
    settled_amount: amount,
    billing_summary: billingSummary(settlement, null),
  };
}
