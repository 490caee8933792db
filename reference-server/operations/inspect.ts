import { credits } from "../billing/money.ts";
import type { Tool } from "../catalog/tool.ts";
import { readToolStats } from "../storage/tool-stats.ts";
import { preferredLanguage } from "../http/language.ts";
import type { Operation } from "../http/operation.ts";
import { newSearchId } from "../ids.ts";
import { capabilityResult, leanCapability } from "./capability-result.ts";
import { usageEvent } from "./usage-event.ts";

/**
 * The contracts of tools by id; unknown ids give no result (contract: Inspect). Leaves one usage event. A failure
 * behind it is answered in Inspect's own failure shape: 504 for a timeout, 502 for anything else.
 */
export const inspect: Operation<"inspect"> = async (request, context) => {
  try {
    return await describe(request, context);
  } catch (error) {
    context.log.error({ error }, "an Inspect failed");
    const remaining = await context.books.balance(request.caller.account.id).then(
      ({ available }) => credits(available),
      () => 0,
    );
    return isTimeout(error)
      ? {
          status: 504,
          body: { error: "The catalogue did not answer in time.", remaining_credits: remaining },
        }
      : { status: 502, body: { error: "The catalogue could not be read.", remaining_credits: remaining } };
  }
};

const isTimeout = (error: unknown): boolean => error instanceof Error && /timeout/i.test(error.name);

const describe: Operation<"inspect"> = async ({ body, headers, caller }, context) => {
  const { books, catalog, clock, database } = context;
  const startedAt = clock.now();
  const language = preferredLanguage(headers["accept-language"]);
  const asked = [...new Set(body.tool_ids)];
  const tools = asked.map((id) => catalog.find(id)).filter((tool): tool is Tool => tool !== undefined);
  const known = tools.map(({ tool_id }) => tool_id);
  const lean = body.view === "lean";
  const stats = await readToolStats(database, lean ? [] : known);
  const results = tools.map((tool) =>
    lean ? leanCapability(tool, language) : capabilityResult(tool, language, stats.get(tool.tool_id)),
  );
  const unknown = asked.filter((id) => !known.includes(id));
  const searchId = body.search_id ?? newSearchId(context);
  const elapsed = clock.now() - startedAt;

  const recorded = await books.record(
    usageEvent(
      {
        caller,
        eventType: "search_by_ids",
        displayTarget: asked.join(", ").slice(0, 200),
        durationMs: elapsed,
        sessionId: body.session_id,
        searchId,
        toolId: asked.length === 1 ? (known[0] ?? null) : null,
        success: true,
        request: { tool_ids: asked.slice(0, 100), view: body.view },
        response: { total: results.length, tool_ids: known },
      },
      "result.valid",
    ),
  );
  if (recorded === "insufficient") throw new Error("an Inspect was priced, although it is free");
  return {
    status: 200,
    body: {
      search_id: searchId,
      total: results.length,
      results,
      elapsed_time_ms: elapsed,
      remaining_credits: credits(recorded.remaining),
      error_message: unknown.length === 0 ? null : unknownTools(unknown),
    },
  };
};

function unknownTools(ids: readonly string[]): string {
  const named = ids.slice(0, 5).map((id) => JSON.stringify(id.slice(0, 128)));
  return `Not known: ${named.join(", ")}${ids.length > 5 ? ` and ${ids.length - 5} more` : ""}. Run Discover again.`;
}
