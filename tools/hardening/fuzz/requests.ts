import * as fc from "fast-check";
import { operations, type OperationId } from "../../../generated/contract.ts";
import { sampleTools } from "../../../reference-server/catalog/sample-roles.ts";
import { costlyProjection, grownBody } from "./costs.ts";
import { hostileBodies, hostileFields, hostileIds, hostileQueries } from "./corpora.ts";
import { breaking, hostileStrings, hostileValue, keeping, resolved, type Schema } from "./schema-values.ts";
import type { Delivery } from "./wire.ts";

/** The fields of a tool, as Inspect describes it, that requests are generated from. */
export interface KnownTool {
  tool_id: string;
  params: { name: string; type: string; required?: boolean; enum?: unknown[]; [more: string]: unknown }[];
  examples?: { sample_parameters?: Record<string, unknown> };
}

/** The knowledge of a run about the server before it begins. */
export interface Known {
  tools: readonly KnownTool[];
  capabilityIds: readonly string[];
}

/** The sender of a request: the lane's own account, no one, or an unknown key. */
export type Who = "own" | "nobody" | "unknown";

/**
 * One input. It names its hostile part, so that a counterexample is readable. `{event}`, `{entry}`, `{execution}` and
 * `{search}` in target and body stand for ids of the lane's own account, `{claim}` for its claim code.
 */
export interface Input {
  operation: OperationId;
  who: Who;
  method: string;
  /** Path below the base URL, with the query. */
  target: string;
  /** The text of a JSON body; `hostile` names one of hostileBodies instead; null for no body. */
  body: { json: string } | { hostile: string } | null;
  /** One of hostileFields. */
  fields: string | null;
  delivery: Delivery;
  /** How many of it are sent together, each on its own connection, without waiting for answers; 1: sent and judged. */
  copies: number;
}

/** The kinds of inputs: `hostile`: input that no client should send; `costly`: input that may cost the server much. */
export const corpora = ["hostile", "costly"] as const;
export type Corpus = (typeof corpora)[number];

interface Parameter {
  name: string;
  in: string;
  schema: Schema;
}

interface SpecOperation {
  operationId: OperationId;
  parameters?: Parameter[];
  requestBody?: { content: { "application/json": { schema: Schema } } };
}

/** The parts of the spec that requests are generated from. */
export interface RequestSpec {
  paths: Record<string, Record<string, SpecOperation>>;
}

const dates = fc.constantFrom(
  "2026-11-20",
  "2024-02-29",
  "2026-11-20T00:00:00Z",
  "2026-11-20T12:30:00.5-05:00",
);
const sessions = fc.constantFrom("s-1", "s-2", "s-3");

/** Field values that schemas cannot describe, so that some requests pass the first checks. */
const wellKnown = (known: Known): Readonly<Record<string, fc.Arbitrary<unknown>>> => ({
  start_date: dates,
  end_date: dates,
  session_id: sessions,
  search_id: fc.constant("{search}"),
  execution_id: fc.constant("{execution}"),
  event_id: fc.constant("{event}"),
  entry_id: fc.constant("{entry}"),
  claim_code: fc.constant("{claim}"),
  capability_id: fc.constantFrom(...known.capabilityIds, "nobody.knows"),
  tool_id: fc.constantFrom(...known.tools.map(({ tool_id }) => tool_id), "nobody.knows"),
  query: fc.constantFrom("weather in a city", "汇率", "weather.current.v1", "stock price"),
  page: fc.integer({ min: 1, max: 5 }),
  page_size: fc.integer({ min: 1, max: 500 }),
  run_id: fc.constant("run-1"),
  provider_id: fc.constant("open-skies"),
});

/** Values of a parameter or a member, mostly ones with a meaning to the server. */
function meant(document: object, known: Known, name: string, schema: Schema): fc.Arbitrary<unknown> {
  const special = wellKnown(known)[name];
  const lawful = keeping(document, schema);
  return special === undefined
    ? lawful
    : fc.oneof({ weight: 4, arbitrary: special }, { weight: 1, arbitrary: lawful });
}

/** Parameters that keep a tool's own contract, or break it. */
function toolParameters({ params, examples }: KnownTool): fc.Arbitrary<unknown> {
  const schema: Schema = {
    type: "object",
    required: params.filter(({ required }) => required === true).map(({ name }) => name),
    properties: Object.fromEntries(
      params.map(({ name, type, enum: values, minimum, maximum, pattern, format }) => [
        name,
        {
          type,
          ...(values && { enum: values }),
          ...(typeof minimum === "number" && { minimum }),
          ...(typeof maximum === "number" && { maximum }),
          ...(typeof pattern === "string" && { pattern }),
          ...(typeof format === "string" && { format }),
        },
      ]),
    ),
  };
  return fc.oneof(fc.constant(examples?.sample_parameters ?? {}), keeping({}, schema), breaking({}, schema));
}

const respondWith = fc.constantFrom("full", "summary", "fields:$", "fields:$.rows[0],$..name", "fields:$..*");

/** Bodies that keep the schema of an operation, and often mean something to the server. */
function lawfulBodies(
  document: object,
  known: Known,
  id: OperationId,
  schema: Schema,
): fc.Arbitrary<Record<string, unknown>> {
  const { properties = {}, required = [] } = resolved(document, schema);
  const members = Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, meant(document, known, name, property)]),
  );
  if (id === "inspect") {
    members["tool_ids"] = fc.array(wellKnown(known)["tool_id"]!, { maxLength: 8 });
  }
  if (id !== "call" && id !== "probe") return fc.record(members, { requiredKeys: required });
  members["respond_with"] = id === "call" ? respondWith : fc.constant(undefined);
  return fc
    .constantFrom(...known.tools)
    .chain((tool) =>
      fc.record(
        { ...members, tool_id: fc.constant(tool.tool_id), parameters: toolParameters(tool) },
        { requiredKeys: ["tool_id", "parameters"] },
      ),
    );
}

/** Bodies of an operation: some that keep its schema, some that break it. */
function bodies(document: object, known: Known, id: OperationId, schema: Schema): fc.Arbitrary<string> {
  const { properties = {} } = resolved(document, schema);
  const kept = lawfulBodies(document, known, id, schema);
  const spoiled = fc
    .tuple(kept, fc.constantFrom(...Object.keys(properties), "unknown"), hostileValue)
    .map(([body, name, value]) => ({ ...body, [name]: value }));
  const values: fc.Arbitrary<unknown> = fc.oneof(
    { weight: 4, arbitrary: kept },
    { weight: 3, arbitrary: spoiled },
    { weight: 1, arbitrary: breaking(document, schema) },
  );
  return values.map((value) => JSON.stringify(value));
}

/** Bodies of an operation whose parts have grown; for Call also a large result that is projected at a cost. */
function costlyBodies(document: object, known: Known, id: OperationId, schema: Schema): fc.Arbitrary<string> {
  const names = Object.keys(resolved(document, schema).properties ?? {});
  const large = grownBody(lawfulBodies(document, known, id, schema), [...names, "unknown"]);
  if (id !== "call") return large;
  const { id: tool_id, parameters } = sampleTools.large_result;
  const projected = fc
    .record({
      tool_id: fc.constant(tool_id),
      parameters: fc.constant({ ...parameters, days: 365 }),
      respond_with: fc.oneof(costlyProjection, fc.constantFrom("full", "summary")),
      max_response_size: fc.constantFrom(-1, 1, 20_480),
    })
    .map((body) => JSON.stringify(body));
  return fc.oneof(large, projected);
}

/** Encodes a query as browsers and agents do; lone surrogates become the replacement character. */
const pair = (name: string, value: string): string =>
  `${encodeURIComponent(name)}=${encodeURIComponent(value.toWellFormed())
    .replaceAll("%7B", "{")
    .replaceAll("%7D", "}")}`;

function queries(document: object, known: Known, parameters: readonly Parameter[]): fc.Arbitrary<string> {
  const inQuery = parameters.filter((parameter) => parameter.in === "query");
  if (inQuery.length === 0) return fc.constant("");
  const one = inQuery.map(({ name, schema }) => {
    const value = fc.oneof(
      { weight: 5, arbitrary: meant(document, known, name, schema).map(String) },
      { weight: 1, arbitrary: fc.constantFrom(...hostileStrings.filter(({ length }) => length < 6_000)) },
    );
    return value.map((text) => pair(name, text));
  });
  return fc
    .array(fc.oneof(...one), { maxLength: 5 })
    .map((pairs) => (pairs.length === 0 ? "" : `?${pairs.join("&")}`));
}

/**
 * Every input of a corpus: operations equally often. Hostile ones mostly with good credentials, usually with one hostile
 * part and sometimes more.
 */
export function inputs(spec: RequestSpec, known: Known, corpus: Corpus): fc.Arbitrary<Input> {
  const inputsOf = corpus === "hostile" ? hostileInputs : costlyInputs;
  const each = Object.entries(spec.paths).flatMap(([path, item]) =>
    Object.values(item).map((operation) => inputsOf(spec, known, path, operation)),
  );
  return fc.oneof(...each);
}

/** Requests for as much as an operation gives, of any size, sent in many ways, and often. */
function costlyInputs(
  document: RequestSpec,
  known: Known,
  path: string,
  { operationId, parameters: given = [], requestBody }: SpecOperation,
): fc.Arbitrary<Input> {
  const query = given
    .map((parameter) => resolved(document, parameter))
    .filter((parameter) => parameter.in === "query" && maxOf[String(parameter.schema.type)] !== undefined)
    .map(({ name, schema }) => `${name}=${schema.maximum ?? maxOf[String(schema.type)]!}`);
  const asked = fc.subarray(query).map((pairs) => (pairs.length === 0 ? "" : `?${pairs.join("&")}`));
  const tool = operationId === "probe" ? `?tool_id=${sampleTools.charged.id}` : null;
  const { method } = operations[operationId];
  const schema = requestBody?.content["application/json"].schema;
  return fc.record<Input>({
    operation: fc.constant(operationId),
    who: fc.constant<Who>("own"),
    method: fc.constant(method),
    target: (tool === null ? asked : fc.constant(tool)).map(
      (text) => path.replace(/\{[^}]+\}/, known.capabilityIds[0]!) + text,
    ),
    body:
      schema === undefined
        ? fc.constant(null)
        : costlyBodies(document, known, operationId, schema).map((json) => ({ json })),
    fields: fc.constant(null),
    delivery: often<Delivery>("whole", 3, "chunked", "dripped", "crumbs", "held", "unread"),
    copies: fc.constantFrom(1, 1, 1, 1, 5, 30),
  });
}

/** The maximum of a parameter that the spec does not bound, by its type. */
const maxOf: Readonly<Record<string, unknown>> = { integer: 50_000, boolean: true };

function hostileInputs(
  document: RequestSpec,
  known: Known,
  path: string,
  { operationId, parameters: given = [], requestBody }: SpecOperation,
): fc.Arbitrary<Input> {
  const parameters = given.map((parameter) => resolved(document, parameter));
  const inPath = parameters.find((parameter) => parameter.in === "path");
  const id =
    inPath === undefined
      ? fc.constant("")
      : fc.oneof(
          { weight: 2, arbitrary: meant(document, known, inPath.name, inPath.schema).map(String) },
          { weight: 1, arbitrary: fc.constantFrom(...hostileIds) },
        );
  const written = fc.tuple(id, queries(document, known, parameters)).map(([value, query]) => {
    const segment = /^[\x21-\x7e\x80-\xff]*$/.test(value) ? value : encodeURIComponent(value.toWellFormed());
    return path.replace(/\{[^}]+\}/, segment.replace(/[?#]/g, encodeURIComponent)) + query;
  });
  const hostileTarget = fc.constantFrom(...hostileQueries).map((query) => `${path}?${query}`);
  const hostileBody = fc.constantFrom(...Object.keys(hostileBodies)).map((hostile) => ({ hostile }));
  const body: fc.Arbitrary<Input["body"]> =
    requestBody === undefined
      ? fc.oneof({ weight: 15, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: hostileBody })
      : fc.oneof(
          {
            weight: 8,
            arbitrary: bodies(
              document,
              known,
              operationId,
              requestBody.content["application/json"].schema,
            ).map((json) => ({ json })),
          },
          { weight: 2, arbitrary: hostileBody },
          { weight: 1, arbitrary: fc.constant(null) },
        );
  const { method } = operations[operationId];
  return fc.record<Input>({
    operation: fc.constant(operationId),
    who: often<Who>("own", 10, "nobody", "unknown"),
    method: often(method, 30, "HEAD", "PUT", "DELETE", "OPTIONS", "GET", "POST"),
    target: fc.oneof({ weight: 5, arbitrary: written }, { weight: 1, arbitrary: hostileTarget }),
    body,
    fields: often<string | null>(null, 8, ...Object.keys(hostileFields)),
    delivery: often<Delivery>("whole", 20, "chunked", "dripped", "short"),
    copies: fc.constant(1),
  });
}

/** Picks the first value `weight` times as often as all others together; shrinking ends at it. */
const often = <Value>(value: Value, weight: number, ...others: Value[]): fc.Arbitrary<Value> =>
  fc.oneof(
    { withCrossShrink: true },
    { weight, arbitrary: fc.constant(value) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  );
