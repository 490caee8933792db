import { credits, micro } from "../billing/money.ts";
import { inCredits } from "../billing/price.ts";
import { fixedPrice, unpriced } from "../billing/statement.ts";
import { readToolStats } from "../storage/tool-stats.ts";
import { preferredLanguage } from "../http/language.ts";
import { failure, type Operation } from "../http/operation.ts";
import { failedSearchId } from "../http/refusals.ts";
import { newSearchId } from "../ids.ts";
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
      config.discoverPrice === 0
        ? unpriced("result.valid")
        : fixedPrice(micro(config.discoverPrice), "1 search"),
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
