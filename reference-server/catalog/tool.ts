import type { Language } from "../../generated/contract.ts";
import type { Priced } from "../billing/rule.ts";

/** A text in the languages of the contract. */
export type Localized = Readonly<Record<Language, string>>;

/** One parameter of a tool's contract (contract: Capability result, `params`). */
export interface Param {
  name: string;
  type: "string" | "integer" | "number" | "boolean" | "array" | "object";
  required: boolean;
  /** In English; `paramsIn` translates. */
  description: string;
  enum?: readonly (string | number)[];
  minimum?: number;
  maximum?: number;
  /** A regular expression (with the `u` flag) that a string must match as a whole. */
  pattern?: string;
  format?: "date" | "date-time" | "email" | "uri";
  /** Label of a one-of group: at least one field of the group must be present. */
  one_of_required?: string;
}

/** One catalogue entry. `upstream` and `mapping` are for the provider client (providers/). */
export interface Tool extends Priced {
  name: Localized;
  description: Localized;
  /** Provider name with its category in parentheses. */
  provider_name: string;
  /** The tool's contract; explicitly empty for a true zero-parameter tool. */
  params: readonly Param[];
  /** Descriptions of the parameters in Chinese, by name; English is shown for missing ones. */
  param_descriptions_zh?: Readonly<Record<string, string>>;
  examples?: { sample_parameters: Record<string, unknown> };
  expected_cost?: string;
  output_summary: string;
  freshness: string;
  verification: string;
  /** `unavailable` tools are never listed but known by id; `region` and `oauth` are refused before execution. */
  availability: "available" | "unavailable" | "region_restricted" | "oauth_required";
  routing: { capability: string; reliability: "A" | "B" | "C" | "D"; as_of_support: boolean };
  /**
   * `{name}` in the url's path stands for the parameter of that name. Other parameters are sent in the query of a GET
   * and in the JSON body of a POST.
   */
  upstream: { method: "GET" | "POST"; url: string; headers?: Record<string, string>; timeout_ms: number };
  mapping: {
    /** The location of the payload in the provider's answer: a dotted path; the whole body if absent. */
    data?: string;
    /** The location of the list of countable units in the payload. */
    rows?: string;
    /** A field of the whole answer that is true for a partial answer. */
    partial?: string;
    /** A field of the whole answer that holds the provider's own error; `error` by default. */
    error?: string;
  };
  /** A JSON schema of the full content, for truncated and summarized results. */
  content_schema?: Record<string, unknown>;
}

/** One published version of a capability's contract (GET /capabilities/{id}, POST /capabilities/query). */
export interface Capability {
  capability_id: string;
  name: string;
  description: string;
  /** The parameters of a query; every candidate accepts them. */
  params: readonly Param[];
  /** Candidates in order of preference, by tool id. */
  candidates: readonly string[];
  /** Both absent for a legacy record. */
  contract_version?: number;
  /** Lower-case SHA-256 of the canonical contract (see catalog/contract-hash.ts). */
  schema_hash?: string;
  /** The provider named by a delegation token. */
  provider_id: string;
}

/** Version and hash of a published contract; a legacy record has neither. */
export const published = ({ contract_version, schema_hash }: Capability) =>
  contract_version === undefined || schema_hash === undefined ? {} : { contract_version, schema_hash };

/** The tool's parameters in one language. */
export function paramsIn(tool: Tool, lang: keyof Localized): readonly Param[] {
  const chinese = tool.param_descriptions_zh;
  if (lang === "en" || chinese === undefined) return tool.params;
  return tool.params.map((param) => ({ ...param, description: chinese[param.name] ?? param.description }));
}

export interface Catalog {
  readonly tools: readonly Tool[];
  /** Finds by exact id, whatever the availability. */
  find(toolId: string): Tool | undefined;
  /** Ranked by relevance over name, description, provider and parameters in both languages; an exact id comes first. */
  search(query: string, limit: number): readonly Tool[];
  /** The current version: the highest published. */
  capability(capabilityId: string): Capability | undefined;
}
