import { credits } from "../billing/money.ts";
import { violations } from "../catalog/parameters.ts";
import type { Tool } from "../catalog/tool.ts";
import { HttpError, notFound } from "../http/errors.ts";
import type { Operation } from "../http/operation.ts";
import type { Pricing } from "../parts.ts";

/** Validates parameters and quotes a price without executing, charging or recording anything (contract: Probe). */
export const probe: Operation<"probe"> = async ({ query, body }, { catalog, pricing }) => {
  const toolId = query.tool_id.trim();
  if (toolId === "") {
    throw new HttpError(400, "Which tool? Name it in the query: /tools/probe?tool_id=<tool_id>.");
  }
  const { parameters, checks = ["schema"] } = body ?? {};
  if (checks.length === 0) {
    throw new HttpError(400, "checks is empty: name at least one of schema, quote, coverage or sample.");
  }
  const tool = catalog.find(toolId);
  if (tool === undefined) {
    throw notFound(`There is no capability ${JSON.stringify(toolId.slice(0, 128))}. Run Discover again.`);
  }
  return {
    status: 200,
    body: {
      ...(checks.includes("schema") && { schema: schemaCheck(tool, parameters) }),
      ...(checks.includes("quote") && { quote: quote(tool, pricing) }),
      ...(checks.includes("coverage") && { coverage: unknown("Coverage is not checked before a call.") }),
      ...(checks.includes("sample") && { sample: unknown("Nothing is sampled before a call.") }),
    },
  };
};

function schemaCheck(tool: Tool, parameters: Record<string, unknown> | undefined) {
  const problems = violations(tool, parameters ?? {});
  return {
    valid: problems.length === 0,
    violations: problems.length === 0 ? null : problems.map((violation) => ({ ...violation })),
    ...(parameters === undefined && { note: "No parameters were given: judged as an empty object." }),
  };
}

function quote(tool: Tool, pricing: Pricing) {
  const { amount, exact, basis } = pricing.estimate(tool);
  return {
    estimate_credits: credits(amount),
    currency: "credits" as const,
    exact,
    basis,
    ...(tool.expected_cost !== undefined && { detail: { expected_cost: tool.expected_cost } }),
  };
}

const unknown = (reason: string) => ({ verdict: "unknown" as const, reason });
