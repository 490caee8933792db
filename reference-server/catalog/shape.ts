import { Ajv } from "ajv";
import type { ErrorObject } from "ajv";
import type { BillingRule } from "../billing/rule.ts";
import type { Localized, Param, Tool } from "./tool.ts";
import type { Path } from "./source.ts";
import { suggestion } from "./nearest.ts";

/** A parameter as a catalogue file writes it. */
export interface WrittenParam extends Omit<Param, "description" | "required"> {
  required?: boolean;
  description: Localized;
}

/** A tool as a catalogue file writes it; what is left out has a default (see load.ts). */
export interface WrittenTool {
  tool_id: string;
  name: Localized;
  description: Localized;
  provider?: string;
  params: WrittenParam[];
  examples?: { sample_parameters: Record<string, unknown> };
  billing_rule?: Omit<BillingRule, "unit"> & { unit?: string };
  cost?: number;
  expected_cost?: string;
  output_summary?: string;
  freshness?: string;
  verification?: string;
  availability?: Tool["availability"];
  routing?: Partial<Tool["routing"]>;
  upstream: { method?: "GET" | "POST"; url: string; headers?: Record<string, string>; timeout_ms?: number };
  mapping?: Tool["mapping"];
  content_schema?: Record<string, unknown>;
}

/** One version of a capability as a catalogue file writes it. */
export interface WrittenCapability {
  capability_id: string;
  name: string;
  description: string;
  contract_version?: number;
  provider_id: string;
  params: WrittenParam[];
  candidates: string[];
}

/** A catalogue file: tools, capabilities, or both; `provider` stands for the tools that do not name their own. */
interface WrittenFile {
  provider?: string;
  tools?: unknown[];
  capabilities?: unknown[];
}

/** What a tool id looks like; anything else is a format error (contract: Call failure categories). */
export const toolIdPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

const text = { type: "string", minLength: 1 };
const amount = { type: "number", minimum: 0 };
const dotted = { type: "string", pattern: "^[^.\\s]+(\\.[^.\\s]+)*$" };
const record = (properties: Record<string, unknown>, required: string[] = []) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
const localized = record({ en: text, zh: text }, ["en", "zh"]);
const id = { type: "string", pattern: toolIdPattern.source };
const provider = { type: "string", pattern: "^\\S.* \\(\\S.*\\)$" };

const params = {
  type: "array",
  items: record(
    {
      name: { type: "string", pattern: "^[A-Za-z_][A-Za-z0-9_.-]{0,63}$" },
      type: { enum: ["string", "integer", "number", "boolean", "array", "object"] },
      required: { type: "boolean" },
      description: localized,
      enum: { type: "array", minItems: 1, items: { type: ["string", "number"] } },
      minimum: { type: "number" },
      maximum: { type: "number" },
      pattern: text,
      format: { enum: ["date", "date-time", "email", "uri"] },
      one_of_required: text,
    },
    ["name", "type", "description"],
  ),
};

const toolSchema = record(
  {
    tool_id: id,
    name: localized,
    description: localized,
    provider,
    params,
    examples: record({ sample_parameters: { type: "object" } }, ["sample_parameters"]),
    billing_rule: record(
      {
        unit: text,
        amount_credits: amount,
        minimum_credits: amount,
        max_units: { type: "integer", minimum: 1, maximum: 1_000_000 },
        policy: { enum: ["exempt"] },
        charge_on_failure: { type: "boolean" },
        partial: { enum: ["charged", "included", "not_charged"] },
      },
      ["amount_credits"],
    ),
    cost: amount,
    expected_cost: text,
    output_summary: text,
    freshness: text,
    verification: text,
    availability: { enum: ["available", "unavailable", "region_restricted", "oauth_required"] },
    routing: record({
      capability: text,
      reliability: { enum: ["A", "B", "C", "D"] },
      as_of_support: { type: "boolean" },
    }),
    upstream: record(
      {
        method: { enum: ["GET", "POST"] },
        url: text,
        headers: { type: "object", additionalProperties: { type: "string" } },
        timeout_ms: { type: "integer", minimum: 1, maximum: 120_000 },
      },
      ["url"],
    ),
    mapping: record({ data: dotted, rows: dotted, partial: dotted, error: dotted }),
    content_schema: { type: "object" },
  },
  ["tool_id", "name", "description", "params", "upstream"],
);

const capabilitySchema = record(
  {
    capability_id: id,
    name: text,
    description: text,
    contract_version: { type: "integer", minimum: 1 },
    provider_id: id,
    params,
    candidates: { type: "array", items: id, minItems: 1, uniqueItems: true },
  },
  ["capability_id", "name", "description", "provider_id", "params", "candidates"],
);

const fileSchema = {
  ...record({ provider, tools: { type: "array" }, capabilities: { type: "array" } }),
  anyOf: [{ required: ["tools"] }, { required: ["capabilities"] }],
};

const ajv = new Ajv({
  // These schemas are ours: to judge them by JSON Schema's own would take a third of their time.
  validateSchema: false,
  meta: false,
  allErrors: true,
  verbose: true,
  strict: true,
  allowUnionTypes: true,
  strictRequired: false,
});
/** Type guards that leave their errors behind, as Ajv's do. */
export const isFile = ajv.compile<WrittenFile>(fileSchema);
export const isTool = ajv.compile<WrittenTool>(toolSchema);
export const isCapability = ajv.compile<WrittenCapability>(capabilitySchema);

const article = (type: unknown): string => {
  const one = (name: unknown) =>
    name === "object"
      ? "a mapping"
      : name === "array"
        ? "a list"
        : name === "integer"
          ? "an integer"
          : `a ${String(name)}`;
  return Array.isArray(type) ? type.map(one).join(" or ") : one(type);
};

const patterns: Record<string, string> = {
  [toolIdPattern.source]: "an id such as weather.current.v1 (letters, digits, dots, dashes, underscores)",
  [provider.pattern]: "a provider name with its category in parentheses, such as Open Skies (weather)",
  [dotted.pattern]: "a dotted path such as result.rows",
};

/** Ajv's errors as where and why, for a value that stands at `base` in its file. */
export function explain(
  errors: readonly ErrorObject[] | null | undefined,
  base: Path,
): { path: Path; reason: string }[] {
  return (errors ?? []).flatMap(({ instancePath, keyword, params: detail, parentSchema, message }) => {
    const steps = instancePath.split("/").slice(1);
    const inside = steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
    const path = [...base, ...inside];
    const what = inside.length === 0 ? "the entry" : inside.join(".");
    switch (keyword) {
      case "additionalProperties": {
        const name = String(detail.additionalProperty);
        const reason = `unknown field "${name}"${inside.length === 0 ? "" : ` in ${what}`}.${suggestion(name, Object.keys(parentSchema?.properties ?? {}))}`;
        return [{ path: [...path, name], reason }];
      }
      case "required":
        return [{ path, reason: `${what} lacks "${String(detail.missingProperty)}"` }];
      case "enum":
        return [{ path, reason: `${what} must be one of ${detail.allowedValues.map(String).join(", ")}` }];
      case "type":
        return [{ path, reason: `${what} must be ${article(detail.type)}` }];
      case "pattern":
        return [
          { path, reason: `${what} must be ${patterns[String(detail.pattern)] ?? `like ${detail.pattern}`}` },
        ];
      case "anyOf":
        return [{ path, reason: `a catalogue file holds "tools", "capabilities", or both` }];
      default:
        return [{ path, reason: `${what} ${message ?? "is wrong"}` }];
    }
  });
}
