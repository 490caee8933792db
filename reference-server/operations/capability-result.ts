import { kept } from "../../base/data.ts";
import type { components } from "../../generated/api.ts";
import type { Language } from "../../generated/contract.ts";
import { micro } from "../billing/money.ts";
import { ruleOf } from "../billing/price.ts";
import { paramsIn, type Tool } from "../catalog/tool.ts";
import { keepText } from "../http/kept-text.ts";
import type { ToolStats } from "../storage/tool-stats.ts";
import type { Pricing } from "../parts.ts";

type Schemas = components["schemas"];

const definitions = (tool: Tool, language: Language): Schemas["ParameterDefinition"][] =>
  paramsIn(tool, language).map(({ enum: allowed, ...param }) => ({
    ...param,
    ...(allowed !== undefined && { enum: [...allowed] }),
  }));

const costSignals = (tool: Tool) => ({
  ...(tool.expected_cost !== undefined && { expected_cost: tool.expected_cost }),
  ...(tool.billing_rule !== undefined && { billing_rule: { ...tool.billing_rule } }),
});

/** The results by tool and language as they were shown last. */
const shown = new WeakMap<Tool, Map<Language, Schemas["CapabilityResult"]>>();

/** The complete form of a catalogue entry (contract: Capability result). It is the same until its stats change. */
export function capabilityResult(
  tool: Tool,
  language: Language,
  stats: ToolStats | undefined,
): Schemas["CapabilityResult"] {
  const results = kept(shown, tool, () => new Map());
  let result = results.get(language);
  if (result === undefined || !isSame(result.stats, stats)) {
    results.set(language, (result = newResult(tool, language, stats)));
    keepText(result, JSON.stringify(result));
  }
  return result;
}

const isSame = (one: Partial<ToolStats> | undefined, other: Partial<ToolStats> | undefined): boolean =>
  one?.avg_execution_time_ms === other?.avg_execution_time_ms && one?.success_rate === other?.success_rate;

function newResult(
  tool: Tool,
  language: Language,
  stats: ToolStats | undefined,
): Schemas["CapabilityResult"] {
  const params = definitions(tool, language);
  return {
    tool_id: tool.tool_id,
    name: tool.name[language],
    description: tool.description[language],
    provider_name: tool.provider_name,
    params,
    ...(tool.examples !== undefined && { examples: { ...tool.examples } }),
    ...costSignals(tool),
    ...(tool.cost !== undefined && { cost: tool.cost }),
    ...(stats !== undefined && { stats }),
    billing_amount_credits: ruleOf(tool).amount_credits,
    output_summary: tool.output_summary,
    freshness: tool.freshness,
    verification: tool.verification,
  };
}

/** `view=lean` of Inspect: the parameters and the price. */
export const leanCapability = (tool: Tool, language: Language): Schemas["LeanCapability"] => ({
  tool_id: tool.tool_id,
  name: tool.name[language],
  params: definitions(tool, language),
  ...costSignals(tool),
});

/** The upper bound of each cost class in credits; anything above is high. */
const costClasses = [
  { name: "free", most: micro(0) },
  { name: "low", most: micro(2) },
  { name: "medium", most: micro(10) },
] as const;

/** `view=routing` of Discover: a compact card. */
export function routingCard(tool: Tool, pricing: Pricing): Schemas["RoutingCard"] {
  const { amount } = pricing.estimate(tool);
  return {
    tool_id: tool.tool_id,
    capability: tool.routing.capability,
    cost_class: costClasses.find(({ most }) => amount <= most)?.name ?? "high",
    reliability: tool.routing.reliability,
    as_of_support: tool.routing.as_of_support,
  };
}
