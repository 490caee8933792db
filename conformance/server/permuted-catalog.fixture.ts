import { createCatalog } from "../../reference-server/catalog/catalog.ts";
import type { Catalog, Tool } from "../../reference-server/catalog/tool.ts";
import type { Change } from "../changes/mutant.ts";

/** Numbers from 0 to 1 that follow from a seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** What a price is multiplied with. */
const factors = [0.25, 0.5, 1, 1.5, 3, 4] as const;

/** The sample catalogue with other prices, and its tools found in another order, both by a seed. */
export function permutedCatalog(seed: number): Change {
  const random = randomFrom(seed);
  return {
    parts: (parts) => ({ ...parts, catalog: permuted(parts.catalog, random) }),
  };
}

function permuted(original: Catalog, random: () => number): Catalog {
  const tools = original.tools.map((tool) => repriced(tool, factors[Math.floor(random() * factors.length)]!));
  const rank = new Map(tools.map(({ tool_id }) => [tool_id, random()]));
  const { find } = createCatalog(tools, []);
  const inOrder = (one: Tool, other: Tool): number => rank.get(one.tool_id)! - rank.get(other.tool_id)!;
  const isNot = (query: string, { tool_id }: Tool): number => Number(tool_id !== query.trim());
  return {
    ...original,
    tools: tools.toSorted(inOrder),
    find,
    search: (query, limit) =>
      original
        .search(query, original.tools.length)
        .map(({ tool_id }) => find(tool_id)!)
        .sort((one, other) => isNot(query, one) - isNot(query, other) || inOrder(one, other))
        .slice(0, limit),
  };
}

/** Prices by the request alone: another unit has bounds of its own. */
function repriced(tool: Tool, factor: number): Tool {
  const rule = tool.billing_rule;
  if (rule === undefined || rule.unit !== "request") return tool;
  return { ...tool, billing_rule: { ...rule, amount_credits: rule.amount_credits * factor } };
}
