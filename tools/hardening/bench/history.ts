import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createAccounts } from "../../../reference-server/accounts/accounts.ts";
import { createTokens } from "../../../reference-server/accounts/tokens.ts";
import { createBooks } from "../../../reference-server/storage/books.ts";
import { micro } from "../../../reference-server/billing/money.ts";
import { createPricing } from "../../../reference-server/billing/price.ts";
import { priced } from "../../../reference-server/billing/statement.ts";
import type { BillingRule } from "../../../reference-server/billing/rule.ts";
import type { Tool } from "../../../reference-server/catalog/tool.ts";
import { usageEvent } from "../../../reference-server/operations/usage-event.ts";
import { createLog, systemRandom } from "../../../reference-server/parts-default.ts";
import { systemClock } from "../../../reference-server/system-clock.ts";
import type { Caller, Execution } from "../../../reference-server/parts.ts";
import { openStorage } from "../../../reference-server/storage/open.ts";
import type { NewUsageEvent } from "../../../reference-server/records.ts";

/** An account whose history was written through the server's own code. */
export interface History {
  dataFolder: string;
  key: string;
  events: number;
  /** Epoch ms of its first and last event. */
  from: number;
  to: number;
  /** The execution id of an event in the middle. */
  executionId: string;
}

const day = 86_400_000;
const days = 90;

/** Events written in one transaction, all with the same time, as in one commit of a busy server. */
const batchSize = 250;

const executionIdOf = (index: number): string => `exec_${index.toString(16).padStart(24, "0")}`;

/** Of every 20 calls one returns nothing and one fails, both without a charge. */
function executionOf(index: number): Execution {
  const common = { statusCode: 200, quantity: 1, durationMs: 20 + (index % 400) };
  if (index % 20 === 7) {
    return { ...common, reason: "result.empty", success: false, message: "The result was empty." };
  }
  if (index % 20 === 13) {
    return {
      ...common,
      reason: "provider.error",
      success: false,
      message: "The provider reported an error.",
    };
  }
  return { ...common, reason: "result.valid", success: true, message: null };
}

/**
 * Writes the history of one account into an empty data folder: `events` calls over the last 90 days. They go through
 * the server's own books, so entries, rollups and the chain of balances are real. Only the sync of each commit is left
 * out.
 */
export async function writeHistory(dataFolder: string, events: number): Promise<History> {
  await mkdir(dataFolder, { recursive: true });
  const to = systemClock.now() - 60_000;
  const from = to - days * day;
  const clock = { time: from, now: () => clock.time };
  const parts = { clock, random: systemRandom, log: createLog("silent") };
  const storage = await openStorage({
    ...parts,
    url: `file:${join(dataFolder, "data.sqlite")}`,
    async connect(usual) {
      const connection = await usual();
      await connection.all("PRAGMA synchronous = OFF");
      return connection;
    },
  });
  try {
    const tokens = await createTokens(dataFolder, parts);
    const accounts = createAccounts({ ...storage, ...parts, tokens });
    const books = createBooks(storage);
    const account = await accounts.create({ name: `history of ${events}`, email: null });
    const { id: apiKeyId, apiKey } = await accounts.addKey(account.id, "history");
    await books.move({
      accountId: account.id,
      entryType: "grant_payment_recharge",
      amount: micro(events),
      description: "bench",
    });
    const credential = { type: "api_key" as const, apiKeyId, oauthClientId: null, delegation: null };
    const eventOf = eventsOf({ account, credential });
    for (let written = 0; written < events; written += batchSize) {
      clock.time = from + Math.floor(((to - from) * written) / events);
      const size = Math.min(batchSize, events - written);
      await Promise.all(Array.from({ length: size }, (_, index) => books.record(eventOf(written + index))));
    }
    return { dataFolder, key: apiKey, events, from, to, executionId: executionIdOf(events >> 1) };
  } finally {
    await storage.close();
  }
}

/** The events of a caller's calls, in order; prices from 0.1 to 0.7 credits. */
function eventsOf(caller: Caller): (index: number) => NewUsageEvent {
  const pricing = createPricing();
  const tools = Array.from({ length: 50 }, (_, index) => toolOf(index));
  return (index) => {
    const tool = tools[index % tools.length]!;
    const execution = executionOf(index);
    const bill = pricing.bill(tool, execution);
    const money = priced(tool.billing_rule, bill, pricing.settle(tool, execution, bill));
    return usageEvent(
      {
        caller,
        eventType: "tool_execute",
        displayTarget: tool.name.en,
        durationMs: execution.durationMs,
        sessionId: `session-${index >> 4}`,
        searchId: `search-${index >> 3}`,
        executionId: executionIdOf(index),
        toolId: tool.tool_id,
        model: "bench-model",
        success: execution.success,
        errorMessage: execution.message,
        request: { tool_id: tool.tool_id, parameters: { place: "Vienna" } },
        response: { success: execution.success, status_code: 200, quantity: 1 },
      },
      money,
    );
  };
}

function toolOf(index: number): Tool & { billing_rule: BillingRule } {
  const name = `place ${index}`;
  const description = "The weather at a place.";
  return {
    tool_id: `place.weather-${index}.v1`,
    name: { en: name, zh: name },
    description: { en: description, zh: description },
    provider_name: `Provider ${index % 40}`,
    params: [{ name: "place", type: "string", required: true, description: "Where" }],
    examples: { sample_parameters: { place: "Vienna" } },
    billing_rule: { unit: "request", amount_credits: (1 + (index % 7)) / 10 },
    output_summary: description,
    freshness: "Every day",
    verification: "Not available",
    availability: "available",
    routing: { capability: "place.weather", reliability: "B", as_of_support: false },
    upstream: { method: "GET", url: "http://127.0.0.1:9/", timeout_ms: 1_000 },
    mapping: {},
  };
}
