import { yamlReader, type JsonSchema } from "../../base/yaml/schema.ts";
import type { BillingRule } from "../billing/rule.ts";
import type { Localized, Param, Tool } from "./tool.ts";

/** A text in both languages, or one text for both: `name: Weather` is `{ en: Weather, zh: Weather }`. */
export type WrittenText = string | Localized;

/** A parameter in a catalogue file. */
export interface WrittenParam extends Omit<Param, "description" | "required"> {
  required?: boolean;
  description: WrittenText;
}

/** A tool in a catalogue file; missing fields have defaults (see load.ts). */
export interface WrittenTool {
  tool_id: string;
  name: WrittenText;
  description: WrittenText;
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

/** One version of a capability in a catalogue file. */
export interface WrittenCapability {
  capability_id: string;
  name: string;
  description: string;
  contract_version?: number;
  provider_id: string;
  params: WrittenParam[];
  candidates: string[];
}

/** A catalogue file: tools, capabilities, or both; `provider` applies to tools that name none. */
export interface WrittenFile {
  provider?: string;
  tools?: WrittenTool[];
  capabilities?: WrittenCapability[];
}

/** The form of a tool id; anything else is a format error (contract: Call failure categories). */
export const toolIdPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

const text = { type: "string", minLength: 1, description: "a text that is not empty" };
const amount = { type: "number", minimum: 0 };
const dotted = {
  type: "string",
  pattern: "^[^.\\s]+(\\.[^.\\s]+)*$",
  description: "a dotted path such as result.rows",
};
const record = (properties: Record<string, unknown>, required: string[] = []) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
/** A text in one language counts for both. */
const localized = { if: { type: "string" }, then: text, else: record({ en: text, zh: text }, ["en", "zh"]) };
const id = {
  type: "string",
  pattern: toolIdPattern.source,
  description: "an id such as weather.current.v1 (letters, digits, dots, dashes, underscores)",
};
const provider = {
  type: "string",
  pattern: "^\\S.* \\(\\S.*\\)$",
  description: "a provider name with its category in parentheses, such as Open Skies (weather)",
};

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

const tool = record(
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
        discount: { type: "number", minimum: 0, exclusiveMaximum: 1 },
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

const capability = record(
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

/** The JSON Schema of a catalogue file; published for editors as generated/schemas/catalog.json. */
export const catalogSchema: JsonSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "A file of a catalogue: tools, capabilities, or both",
  description: `a mapping with "tools", "capabilities", or both`,
  ...record({
    provider,
    tools: { type: "array", items: tool },
    capabilities: { type: "array", items: capability },
  }),
  anyOf: [{ required: ["tools"] }, { required: ["capabilities"] }],
};

export const readCatalogFile = yamlReader<WrittenFile>(catalogSchema);
