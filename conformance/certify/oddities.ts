import { readFileSync } from "node:fs";
import { operations, type OperationId } from "../../generated/contract.ts";
import { sentOf, type Body, type Change } from "../changes/mutant.ts";
import type { WireRequest } from "../changes/wire.ts";

/** A lawful way in which a server may differ from the reference server: made anew for each run of a client. */
export type Oddity = () => Pick<Change, "wire" | "inward"> & {
  /** Calls return more than an answer holds, so that the result is truncated; `expired` addresses have ended at once. */
  result?: "large" | "expired";
  /** What has changed at its place stays so. */
  lasts?: boolean;
};

/** A JSON Schema, as far as a walk along an answer needs it. */
interface Schema {
  $ref?: string;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
}

interface Described {
  paths: Record<
    string,
    Record<string, { responses: Record<string, { content?: Record<string, { schema?: Schema }> }> }>
  >;
  components: { schemas: Record<string, Schema> };
}

const spec = JSON.parse(
  readFileSync(new URL("../../generated/openapi.json", import.meta.url), "utf8"),
) as Described;

/** What the spec says of an object's members. */
interface Members {
  properties: Record<string, Schema>;
  required: ReadonlySet<string>;
}

const resolved = (schema: Schema): Schema =>
  schema.$ref === undefined ? schema : spec.components.schemas[schema.$ref.split("/").at(-1)!]!;

/** The members of all parts of a schema that may describe the object; what one alternative requires is required. */
function membersOf(given: Schema): Members {
  const schema = resolved(given);
  const parts = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].map(membersOf);
  return {
    properties: Object.assign(
      {},
      ...parts.map(({ properties }) => properties),
      schema.properties,
    ) as Members["properties"],
    required: new Set([...(schema.required ?? []), ...parts.flatMap(({ required }) => [...required])]),
  };
}

const itemsOf = (given: Schema): Schema => {
  const schema = resolved(given);
  return (
    schema.items ??
    [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].map(itemsOf)[0] ??
    {}
  );
};

const isNullable = (given: Schema): boolean => {
  const schema = resolved(given);
  return [schema.type].flat().includes("null") || (schema.anyOf ?? schema.oneOf ?? []).some(isNullable);
};

/** Changes the objects of a value from the inside out. The payload of a tool is not the contract's, and stays. */
function walked(value: unknown, schema: Schema, change: (object: Body, members: Members) => Body): unknown {
  if (Array.isArray(value)) return value.map((item) => walked(item, itemsOf(schema), change));
  if (typeof value !== "object" || value === null) return value;
  const members = membersOf(schema);
  const changed = Object.entries(value).map(([name, member]) => {
    const described = members.properties[name];
    const isPayload = described === undefined || payloads.has(name);
    return [name, isPayload ? member : walked(member, described, change)];
  });
  return change(Object.fromEntries(changed) as Body, members);
}

/** Members that hold what a tool, not the contract, defines. */
const payloads = new Set([
  "params",
  "result",
  "sample_parameters",
  "parameters",
  "request_payload",
  "content_schema",
]);

/**
 * Members that the contract calls optional, and without which a client can still be asked to do its task: an id by
 * which it reconciles, a contract or an address that it needs stay.
 */
const needed = new Set([
  "params",
  "examples",
  "full_content_file_url",
  "execution_id",
  "search_id",
  "data",
  "items",
  "details",
  "success",
  "status",
]);

/** Changes the objects in successful answers of some operations, by what the spec says of their members. */
const onObjects =
  (change: (object: Body, members: Members) => Body): Oddity =>
  () => ({
    wire: (request, answer) => {
      const schema = request.operation === null ? undefined : schemaOf(request.operation);
      if (schema === undefined || answer.status !== 200) return answer;
      return { ...answer, body: JSON.stringify(walked(JSON.parse(answer.body), schema, change)) };
    },
  });

function schemaOf(operation: OperationId): Schema | undefined {
  const { method, path } = operations[operation];
  return spec.paths[path]?.[method.toLowerCase()]?.responses["200"]?.content?.["application/json"]?.schema;
}

/** Replaces or removes members wherever they occur; undefined removes. */
const onMembers = (fields: Record<string, (old: unknown, object: Body) => unknown>): Oddity =>
  onObjects((object) => {
    const next = { ...object };
    for (const [name, change] of Object.entries(fields))
      if (name in next) next[name] = change(next[name], object);
    return next;
  });

/** Members that this version of the contract does not know, in every object. */
export const unknownMembers = onObjects((object) => ({
  x_next: { since: "a later version", list: [1, null, "two"] },
  ...object,
}));

/** Words that this version does not know, in members whose words the contract does not list. */
export const unknownWords = onMembers({
  unit: () => "furlong",
  basis: () => "per_moon",
  billing_snapshot_status: () => "archived",
  source_system: () => "another",
  source_ref_type: () => "another",
});

/** Every member that the spec does not require is absent, unless the client's next step needs it. */
export const optionalMembersAbsent = onObjects((object, { required }) =>
  Object.fromEntries(Object.entries(object).filter(([name]) => required.has(name) || needed.has(name))),
);

/** The same for a part of the optional members. @param leaves whether a member is left out */
export const someMembersAbsent = (leaves: (name: string) => boolean): Oddity =>
  onObjects((object, { required }) =>
    Object.fromEntries(
      Object.entries(object).filter(([name]) => required.has(name) || needed.has(name) || !leaves(name)),
    ),
  );

/** Every member that may be null is null, unless the client's next step needs it. */
export const nullableMembersNull = onObjects((object, { properties }) =>
  Object.fromEntries(
    Object.entries(object).map(([name, value]) => {
      const schema = properties[name];
      return [name, schema !== undefined && isNullable(schema) && !needed.has(name) ? null : value];
    }),
  ),
);

export const remainingCreditsNull: Oddity = () => ({
  wire: (request, answer) => {
    const isOne =
      request.operation === "discover" || request.operation === "inspect" || request.operation === "call";
    if (!isOne || answer.status !== 200) return answer;
    const body = JSON.parse(answer.body) as Body;
    if (!("remaining_credits" in body)) return answer;
    const { billing: _absent, ...others } = body;
    return { ...answer, body: JSON.stringify({ ...others, remaining_credits: null }) };
  },
});

/** The legacy `cost` in the place of `billing_rule` and `expected_cost`. */
export const costForBillingRule = onObjects((object) => {
  const { billing_rule: rule, expected_cost: _text, ...others } = object;
  if (typeof rule !== "object" || rule === null) return object;
  return { ...others, cost: (rule as Body)["amount_credits"] };
});

export const noStats = onMembers({ stats: () => undefined, elapsed_time_ms: () => undefined });

/** Members in the opposite order, numbers with a decimal point and an exponent, spaces between tokens. */
export const otherSpelling: Oddity = () => ({
  wire: (request, answer) => {
    if (request.operation === null || !answer.headers["content-type"]?.includes("json")) return answer;
    const reversed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reversed);
      if (typeof value !== "object" || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([name, member]) => [name, reversed(member)]),
      );
    };
    const body = JSON.stringify(reversed(JSON.parse(answer.body)), null, 2).replace(
      /^(\s*"(?:\w+_credits|success_rate|cost)": -?\d+\.\d+)(,?)$/gm,
      "$1e0$2",
    );
    return { ...answer, body };
  },
});

export const largeResult: Oddity = () => ({ result: "large" });
export const expiredResult: Oddity = () => ({ result: "expired" });

/** The claim of a trial account is refused. */
export const claimRefused: Oddity = () => ({
  wire: (request, answer) =>
    request.operation !== "startClaim" && request.operation !== "verifyClaim"
      ? answer
      : {
          ...answer,
          status: 422,
          body: JSON.stringify({
            detail: [
              { loc: ["body", "claim_code"], msg: "The claim code is not valid.", type: "value_error" },
            ],
          }),
        },
});

/** After the client has read a tool's contract, a required parameter of it gets another name. */
export const changedContract: Oddity = () => {
  /** By tool: the parameter's old name. */
  const renamed = new Map<string, string>();
  const shown = new Map<string, string>();
  const next = (name: string): string => `${name}_v2`;
  return {
    lasts: true,
    inward: async (request, body) => {
      if (request.operation !== "call") return null;
      const sent = parsed(await body());
      const tool = request.query.get("tool_id") ?? String(sent["tool_id"]);
      const old = renamed.get(tool) ?? shown.get(tool);
      if (old === undefined) return null;
      renamed.set(tool, old);
      const { [old]: _old, [next(old)]: value, ...others } = (sent["parameters"] ?? {}) as Body;
      const parameters = value === undefined ? others : { ...others, [old]: value };
      return { body: JSON.stringify({ ...sent, parameters }) };
    },
    wire: (request, answer) => {
      if (request.operation === "call" && answer.status === 422) {
        const old = renamed.get(toolOf(request)) ?? "";
        return { ...answer, body: answer.body.replaceAll(new RegExp(`\\b${old}\\b`, "g"), next(old)) };
      }
      if (request.operation !== "discover" && request.operation !== "inspect") return answer;
      if (answer.status !== 200) return answer;
      const body = parsed(answer.body);
      const results = Array.isArray(body["results"]) ? (body["results"] as Body[]) : [];
      for (const result of results) {
        const params = Array.isArray(result["params"]) ? (result["params"] as Body[]) : [];
        const param = params.find(({ required }) => required === true);
        const tool = String(result["tool_id"]);
        if (param === undefined) continue;
        shown.set(tool, String(param["name"]));
        const old = renamed.get(tool);
        if (old !== undefined && param["name"] === old) param["name"] = next(old);
      }
      return { ...answer, body: JSON.stringify(body) };
    },
  };
};

/** The first tool that is called was withdrawn, although searches still return it. */
export const withdrawnTool: Oddity = () => {
  let gone: string | null = null;
  const suffix = "-withdrawn";
  return {
    lasts: true,
    inward: async (request, body) => {
      if (request.operation !== "call") return null;
      const sent = parsed(await body());
      const tool = request.query.get("tool_id") ?? String(sent["tool_id"]);
      if (tool !== (gone ??= tool)) return null;
      const query = new URLSearchParams(request.query);
      query.delete("tool_id");
      return { query, body: JSON.stringify({ ...sent, tool_id: gone + suffix }) };
    },
    wire: (_, answer) => ({ ...answer, body: answer.body.replaceAll(suffix, "") }),
  };
};

const toolOf = (request: WireRequest): string =>
  request.query.get("tool_id") ?? String(sentOf(request)["tool_id"]);

const parsed = (text: string): Body => {
  try {
    return (JSON.parse(text) ?? {}) as Body;
  } catch {
    return {};
  }
};

/** Several oddities at once, each on what the one before it left. */
export const combined =
  (...oddities: readonly Oddity[]): Oddity =>
  () => {
    const made = oddities.map((oddity) => oddity());
    const results = made.flatMap(({ result }) => result ?? []);
    return {
      ...(results.length > 0 && { result: results[0]! }),
      wire: async (request, answer) => {
        let changed = answer;
        for (const { wire } of made) if (wire !== undefined) changed = await wire(request, changed);
        return changed;
      },
      inward: async (request, body) => {
        for (const { inward } of made) {
          const replaced = await inward?.(request, body);
          if (replaced != null) return replaced;
        }
        return null;
      },
    };
  };
