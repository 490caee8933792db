import type { ChangeClass, Kind } from "./change.ts";
import { stepsOf, type Json, type JsonObject } from "../../base/data.ts";

/** A small change of the spec: its name, what it does to the document, and how it must be classified. */
export interface SpecChange {
  name: string;
  change: (spec: JsonObject) => void;
  /** Prepares the old spec, where the change needs another one. */
  given?: (spec: JsonObject) => void;
  kind: Kind;
  class: ChangeClass;
  /** The only operations that it may be reported for; those of a shared component are not listed. */
  operations?: string[];
}

const parentOf = (spec: JsonObject, pointer: string): [parent: Record<string, Json>, name: string] => {
  const steps = stepsOf(pointer);
  const last = steps.pop()!;
  let parent: unknown = spec;
  for (const name of steps) parent = (parent as Record<string, unknown>)[name];
  if (typeof parent !== "object" || parent === null) throw new RangeError(`the spec has no ${pointer}`);
  return [parent as Record<string, Json>, last];
};

const put = (pointer: string, value: Json) => (spec: JsonObject) => {
  const [parent, name] = parentOf(spec, pointer);
  parent[name] = value;
};

const drop = (pointer: string) => (spec: JsonObject) => {
  const [parent, name] = parentOf(spec, pointer);
  if (!(name in parent)) throw new RangeError(`the spec has no ${pointer}`);
  Reflect.deleteProperty(parent, name);
};

const listAt = (spec: JsonObject, pointer: string): Json[] => {
  const [parent, name] = parentOf(spec, pointer);
  return (parent[name] ??= []) as Json[];
};

const append =
  (pointer: string, ...values: Json[]) =>
  (spec: JsonObject) => {
    listAt(spec, pointer).push(...values);
  };

const without = (pointer: string, value: Json) => (spec: JsonObject) => {
  const list = listAt(spec, pointer);
  if (!list.includes(value)) throw new RangeError(`${pointer} has no ${JSON.stringify(value)}`);
  list.splice(list.indexOf(value), 1);
};

const all =
  (...changes: ((spec: JsonObject) => void)[]) =>
  (spec: JsonObject) => {
    for (const change of changes) change(spec);
  };

const schema = (name: string): string => `/components/schemas/${name}`;
const search = "/paths/~1search/post";
const execute = "/paths/~1tools~1execute/post";
const usage = "/paths/~1auth~1usage~1history~1v2/get";

const row = (
  name: string,
  kind: Kind,
  changeClass: ChangeClass,
  change: SpecChange["change"],
  operations?: string[],
  given?: SpecChange["given"],
): SpecChange => ({
  name,
  kind,
  class: changeClass,
  change,
  ...(operations && { operations }),
  ...(given && { given }),
});

/** What changes at operations, credentials, parameters and bodies: the request's direction. */
// prettier-ignore
export const requestChanges: SpecChange[] = [
  row("an operation goes", "operation_removed", "breaking", drop(search), ["discover"]),
  row("a path with its operations goes", "operation_removed", "breaking", drop("/paths/~1tools~1probe"), ["probe"]),
  row("an operation comes", "operation_added", "safe", put("/paths/~1tools~1rate", { post: { operationId: "rate", responses: {} } }), ["POST /tools/rate"]),
  // Arguable: nothing on the wire changes. But client code is generated from operationId, and stops compiling.
  row("an operation has another operationId", "operation_renamed", "risky", put(`${search}/operationId`, "search"), ["discover"]),
  // Arguable: a warning to clients, yet every request is treated as before.
  row("an operation is deprecated", "operation_deprecated", "safe", put(`${search}/deprecated`, true), ["discover"]),
  row("an open operation needs a credential", "credential_required", "breaking", put("/paths/~1agent~1claim/post/security", [{ bearerAuth: [] }]), ["startClaim"]),
  row("an operation no longer needs a credential", "credential_relaxed", "safe", put(`${search}/security`, [])),
  row("another credential is asked for", "credential_required", "breaking", put("/paths/~1auth~1credits/get/security", [{ passwordBearer: ["admin"] }]), ["getCredits"]),
  row("the credential uses another scheme", "credential_required", "breaking", put("/components/securitySchemes/bearerAuth", { type: "apiKey", in: "header", name: "X-Key" })),
  row("the path prefix moves", "path_prefix_changed", "breaking", put("/servers/0/variables/base_url/default", "http://127.0.0.1:8080/api/v2")),
  // Arguable: the address in the document is an example, and the prefix stays.
  row("the example address has another port", "servers_changed", "risky", put("/servers/0/variables/base_url/default", "http://127.0.0.1:9090/api/v1")),

  // Arguable: most servers ignore a query parameter that they do not know; that is why it is not merely risky: the
  // filter stops filtering, without a visible error.
  row("a filter goes", "request_parameter_removed", "breaking", without$ref(`${usage}/parameters`, "ReasonCodeFilter"), ["listUsage"]),
  row("an optional parameter comes", "request_parameter_added", "safe", append(`${usage}/parameters`, { name: "colour", in: "query", schema: { type: "string" } }), ["listUsage"]),
  row(
    "a required parameter comes",
    "request_required_parameter_added",
    "breaking",
    append(`${usage}/parameters`, {
      name: "colour",
      in: "query",
      required: true,
      schema: { type: "string" },
    }),
    ["listUsage"],
  ),
  row("a parameter becomes required", "request_parameter_now_required", "breaking", put("/components/parameters/Bucket/required", true)),
  row("a parameter becomes optional", "request_parameter_now_optional", "safe", put("/components/parameters/Bucket/required", false), undefined, put("/components/parameters/Bucket/required", true)),
  row("a list in a query is written in another way", "request_parameter_form_changed", "breaking", put("/components/parameters/Bucket/explode", false), undefined, put("/components/parameters/Bucket/schema", { type: "array", items: { type: "string" } })),
  row("a bucket size goes", "request_enum_value_removed", "breaking", without("/components/parameters/Bucket/schema/x-values", "week")),
  row("a bucket size comes", "request_enum_value_added", "safe", append("/components/parameters/Bucket/schema/x-values", "month")),
  row("a path parameter gets another name", "written_differently", "safe", renamePathParameter),

  row("a body becomes required", "request_body_now_required", "breaking", put("/paths/~1tools~1probe/post/requestBody/required", true), ["probe"]),
  row("a body becomes optional", "request_body_now_optional", "safe", put(`${search}/requestBody/required`, false), ["discover"]),
  row("a body goes", "request_body_removed", "breaking", drop(`${search}/requestBody`), ["discover"]),
  row("a required body comes", "request_required_body_added", "breaking", put("/paths/~1auth~1credits/get/requestBody", { required: true, content: { "application/json": {} } }), ["getCredits"]),
  row("an optional body comes", "request_body_added", "safe", put("/paths/~1auth~1credits/get/requestBody", { content: { "application/json": {} } }), ["getCredits"]),
  row("a body may come in another media type too", "request_media_type_added", "safe", put(`${search}/requestBody/content/application~1yaml`, {}), ["discover"]),
  row("a body's media type is another", "request_media_type_removed", "breaking", all(put(`${search}/requestBody/content/application~1yaml`, {}), drop(`${search}/requestBody/content/application~1json`)), ["discover"]),

  row("an optional field comes", "request_field_added", "safe", put(`${schema("DiscoverRequest")}/properties/colour`, { type: "string" }), ["discover"]),
  row("a required field comes", "request_required_field_added", "breaking", all(put(`${schema("DiscoverRequest")}/properties/colour`, { type: "string" }), append(`${schema("DiscoverRequest")}/required`, "colour")), ["discover"]),
  // Arguable: the body is open, so the request still passes. `view` is an instruction that is no longer followed;
  // a tracking id would not be missed. The comparison cannot know which it is.
  row("a field of an open body goes", "request_field_removed", "risky", drop(`${schema("DiscoverRequest")}/properties/view`), ["discover"]),
  row("a field of a closed body goes", "request_field_refused", "breaking", drop(`${schema("PublicCapabilityQueryRequest")}/properties/colour`), ["queryCapability"], put(`${schema("PublicCapabilityQueryRequest")}/properties/colour`, { type: "string" })),
  row("a field becomes required", "request_field_now_required", "breaking", append(`${schema("DiscoverRequest")}/required`, "session_id"), ["discover"]),
  // Arguable: a server that fills in the default before it validates still takes the request.
  row("a field with a default becomes required", "request_required_field_with_default", "risky", append(`${schema("DiscoverRequest")}/required`, "limit"), ["discover"]),
  row("a field becomes optional", "request_field_now_optional", "safe", put(`${schema("DiscoverRequest")}/required`, []), ["discover"]),
  row("a number must be whole", "request_type_narrowed", "breaking", put(`${schema("PublicCapabilityQueryRequest")}/properties/max_credits/type`, "integer"), ["queryCapability"]),
  row("a whole number may be any", "request_type_widened", "safe", put(`${schema("DiscoverRequest")}/properties/limit/type`, "number"), ["discover"]),
  row("a number must be text", "request_type_changed", "breaking", put(`${schema("DiscoverRequest")}/properties/limit/type`, "string"), ["discover"]),
  row("Discover's largest limit falls", "request_bound_narrowed", "breaking", put(`${schema("DiscoverRequest")}/properties/limit/maximum`, 50), ["discover"]),
  row("Discover's largest limit rises", "request_bound_widened", "safe", put(`${schema("DiscoverRequest")}/properties/limit/maximum`, 200), ["discover"]),
  row("Discover's smallest limit rises", "request_bound_narrowed", "breaking", put(`${schema("DiscoverRequest")}/properties/limit/minimum`, 5), ["discover"]),
  row("a query gets a largest length", "request_bound_narrowed", "breaking", put(`${schema("DiscoverRequest")}/properties/query/maxLength`, 100), ["discover"]),
  row("a model may be of any length", "request_bound_widened", "safe", drop(`${schema("PublicExecuteToolRequest")}/properties/model/maxLength`), ["call"]),
  // Arguable: the schema takes both. But the same request without `limit` gets another number of results.
  row("Discover's default limit falls", "request_default_changed", "breaking", put(`${schema("DiscoverRequest")}/properties/limit/default`, 10), ["discover"]),
  // Arguable: what was the server's choice is fixed; a client that relied on the choice may see another.
  row("an absent field gets a meaning", "request_default_set", "risky", put(`${schema("DiscoverRequest")}/properties/session_id/default`, "none"), ["discover"]),
  row("an absent field loses its meaning", "request_default_unset", "risky", drop(`${schema("DiscoverRequest")}/properties/limit/default`), ["discover"]),
  row("a mailed code has eight digits", "request_form_changed", "breaking", put(`${schema("ClaimVerifyRequest")}/properties/code/pattern`, "^[0-9]{8}$"), ["verifyClaim"]),
  row("a model may hold any characters", "request_form_lifted", "safe", drop(`${schema("PublicExecuteToolRequest")}/properties/model/pattern`), ["call"]),
  row("a session_id must be a UUID", "request_form_introduced", "breaking", put(`${schema("DiscoverRequest")}/properties/session_id/format`, "uuid"), ["discover"]),
  row("a view goes", "request_enum_value_removed", "breaking", without(`${schema("DiscoverView")}/enum`, "routing"), ["discover"]),
  row("a view comes", "request_enum_value_added", "safe", append(`${schema("DiscoverView")}/enum`, "tiny"), ["discover"]),
  row("a text becomes a list of values", "request_enum_introduced", "breaking", put(`${schema("DiscoverRequest")}/properties/query/enum`, ["weather"]), ["discover"]),
  row("a list of values becomes a text", "request_enum_lifted", "safe", drop(`${schema("DiscoverView")}/enum`), ["discover"]),
  row("a body refuses unknown fields", "request_extra_fields_refused", "breaking", put(`${schema("DiscoverRequest")}/additionalProperties`, false), ["discover"]),
  row("a body takes unknown fields", "request_extra_fields_allowed", "safe", put(`${schema("PublicCapabilityQueryRequest")}/additionalProperties`, true), ["queryCapability"]),
  row("a field may have another shape too", "request_alternative_added", "safe", choice("tool_ids", ["array", "string"]), ["inspect"]),
  row("two fields must come together", "request_constraint_added", "breaking", put(`${schema("DiscoverRequest")}/dependentRequired`, { view: ["lang"] }), ["discover"]),
  row("what a field must not be changes", "request_constraint_changed", "risky", put(`${schema("DiscoverRequest")}/properties/limit/not`, { const: 8 }), ["discover"], put(`${schema("DiscoverRequest")}/properties/limit/not`, { const: 7 })),
  row("what a field must not be is lifted", "request_constraint_removed", "safe", drop(`${schema("DiscoverRequest")}/properties/limit/not`), ["discover"], put(`${schema("DiscoverRequest")}/properties/limit/not`, { const: 7 })),
  // Arguable: the reference server goes on as before. But the promise is withdrawn, and another server may refuse it.
  row("a field is left to the server", "obligation_dropped", "breaking", put(`${schema("DiscoverRequest")}/properties/lang/x-open`, true), ["discover"]),
  // Arguable: what the reference did becomes an obligation; a server that took more refuses it from now on.
  row("a field that was left to the server is fixed", "request_obligation_added", "risky", drop(`${schema("DiscoverRequest")}/properties/lang/x-open`), ["discover"], put(`${schema("DiscoverRequest")}/properties/lang/x-open`, true)),
];

/** What changes at answers: the other direction, in which less is safe and more is not. */
// prettier-ignore
export const answerChanges: SpecChange[] = [
  row("a success comes with another status too", "answer_success_status_added", "risky", put(`${search}/responses/202`, { description: "Later." }), ["discover"]),
  row("the success goes", "answer_success_status_removed", "breaking", drop(`${search}/responses/200`), ["discover"]),
  // Arguable: HTTP asks clients to treat an unknown 4xx as 400; many a client has a list instead.
  row("a refusal comes", "answer_refusal_status_added", "risky", put(`${search}/responses/409`, { description: "Conflict." }), ["discover"]),
  // Arguable: without 429, a client that waits for it has nothing to wait for. What is not sent does no harm; the
  // clauses show when an obligation to refuse goes.
  row("a refusal goes", "answer_refusal_status_removed", "safe", drop(`${execute}/responses/429`), ["call"]),
  row("a refusal comes that the contract leaves open", "open_changed", "safe", put(`${search}/responses/409`, { description: "Conflict.", "x-open": true }), ["discover"]),
  row("an answer comes in another media type", "answer_media_type_removed", "breaking", all(put(`${search}/responses/200/content/application~1xml`, {}), drop(`${search}/responses/200/content/application~1json`)), ["discover"]),
  row("an answer may come in another media type too", "answer_media_type_added", "risky", put(`${search}/responses/200/content/application~1xml`, {}), ["discover"]),
  row("an answer no longer has a body", "answer_body_removed", "breaking", drop(`${search}/responses/200/content`), ["discover"]),
  row("a promised header goes", "answer_header_removed", "breaking", drop("/components/responses/RateLimited/headers/Retry-After")),
  row("a header that may be absent goes", "answer_optional_header_removed", "risky", drop(`${search}/responses/200/headers/X-RateLimit-Limit`), ["discover"]),
  row("a header comes", "answer_header_added", "safe", put(`${search}/responses/200/headers/X-Colour`, { schema: { type: "string" } }), ["discover"]),
  row("a promised header may be absent", "answer_header_now_optional", "breaking", put("/components/headers/RetryAfter/required", false)),
  row("a header is promised", "answer_header_now_required", "safe", put("/components/headers/RateLimitLimit/required", true)),
  row("a header's number becomes text", "answer_type_widened", "breaking", put("/components/headers/RetryAfter/schema/type", "string")),

  row("a field comes", "answer_field_added", "safe", put(`${schema("DiscoverResponse")}/properties/colour`, { type: "string" }), ["discover"]),
  row("a required field comes", "answer_field_added", "safe", all(put(`${schema("DiscoverResponse")}/properties/colour`, { type: "string" }), append(`${schema("DiscoverResponse")}/required`, "colour")), ["discover"]),
  row("a promised field goes", "answer_field_removed", "breaking", all(drop(`${schema("DiscoverResponse")}/properties/total`), without(`${schema("DiscoverResponse")}/required`, "total")), ["discover"]),
  // Arguable: a client must do without what comes "when available"; but it may never come again.
  row("a field that may be absent goes", "answer_optional_field_removed", "risky", drop(`${schema("UsageEvent")}/properties/session_id`)),
  row("a field that the contract leaves open goes", "open_changed", "safe", drop(`${schema("UsageEvent")}/properties/model`)),
  row("a promised field may be absent", "answer_field_now_optional", "breaking", without(`${schema("UsageEvent")}/required`, "charge_outcome")),
  row("a field is promised", "answer_field_now_required", "safe", append(`${schema("UsageEvent")}/required`, "tool_id")),
  row("a field is left to the server", "obligation_dropped", "breaking", put(`${schema("UsageEvent")}/properties/success/x-open`, true)),
  row("a field that was left to the server is fixed", "obligation_added", "safe", drop(`${schema("CapabilityResult")}/properties/freshness/x-open`)),
  row("what is left to the server changes", "open_changed", "safe", put(`${schema("CapabilityResult")}/properties/freshness/type`, "number")),
  // Arguable: many clients live with null. One that is generated from types does not, and billing is computed with it.
  row("a field may be null", "answer_type_widened", "breaking", put(`${schema("DiscoverResponse")}/properties/total/type`, ["integer", "null"]), ["discover"]),
  row("a field may no longer be null", "answer_type_narrowed", "safe", put(`${schema("DiscoverResponse")}/properties/remaining_credits/type`, "number"), ["discover"]),
  row("a whole number may have a fraction", "answer_type_widened", "breaking", put(`${schema("DiscoverResponse")}/properties/total/type`, "number"), ["discover"]),
  row("a number comes as text", "answer_type_changed", "breaking", put(`${schema("DiscoverResponse")}/properties/elapsed_time_ms/type`, "string"), ["discover"]),
  row("items have another type", "answer_type_changed", "breaking", put(`${schema("CapabilityResult")}/properties/params/items`, { type: "string" })),
  row("a list of values gets one more", "answer_enum_value_added", "risky", append(`${schema("Bucket")}/enum`, "month")),
  row("a list of values loses one", "answer_enum_value_removed", "safe", without(`${schema("Bucket")}/enum`, "week")),
  row("a text becomes a list of values", "answer_enum_introduced", "safe", put(`${schema("ParameterDefinition")}/properties/name/enum`, ["city"])),
  row("a constant becomes any value", "answer_enum_lifted", "breaking", drop(`${schema("DiscoverFailure")}/properties/total/const`), ["discover"]),
  // Arguable: only a client that stores the value in a column of that width notices.
  row("a hash may be longer", "answer_bound_widened", "risky", put(`${schema("PublicCapabilityQueryResponse")}/properties/schema_hash/maxLength`, 128), ["queryCapability"]),
  row("a count has a largest value", "answer_bound_narrowed", "safe", put(`${schema("DiscoverResponse")}/properties/total/maximum`, 100), ["discover"]),
  row("an id is a UUID", "answer_form_introduced", "safe", put(`${schema("LedgerEntry")}/properties/id/format`, "uuid")),
  row("an event's id is no longer a UUID", "answer_form_lifted", "risky", drop(`${schema("UsageEvent")}/properties/id/format`)),
  row("timestamps are written in another way", "answer_form_changed", "breaking", put(`${schema("Timestamp")}/pattern`, "^\\d+$")),
  row("an answer's default changes", "answer_default_changed", "safe", put(`${schema("UsageEvent")}/properties/success/default`, true)),
  row("results may have another shape", "answer_alternative_added", "breaking", append(`${schema("DiscoverResponse")}/properties/results/items/anyOf`, { type: "string" }), ["discover"]),
  row("results lose one shape", "answer_alternative_removed", "safe", (spec) => void listAt(spec, `${schema("DiscoverResponse")}/properties/results/items/anyOf`).pop(), ["discover"]),
  row("a billing rule holds only what is named", "answer_extra_fields_refused", "safe", put(`${schema("BillingRule")}/additionalProperties`, false)),
  row("what an answer must not be is lifted", "answer_constraint_removed", "risky", drop(`${schema("ProjectedCallResult")}/not`), ["call"]),
  row("version and hash need not come together", "answer_constraint_removed", "risky", drop(`${schema("PublicCapabilityDetailResponse")}/dependentRequired`), ["getCapability"]),
  row("a description is reworded", "text_changed", "safe", put(`${schema("UsageEvent")}/properties/id/description`, "The id.")),
  row("an example changes", "text_changed", "safe", put(`${search}/responses/200/content/application~1json/examples/full/summary`, "All")),
  row("a component without a user comes", "written_differently", "safe", put(schema("Colour"), { type: "string" })),
  row("a keyword without a rule changes", "unclassified_changed", "risky", put(`${schema("DiscoverResponse")}/properties/total/precision`, 2)),
];

/** What changes in the contract's own lists and its version. */
// prettier-ignore
export const contractChanges: SpecChange[] = [
  row("a charge outcome comes", "charge_outcome_added", "breaking", append(`${schema("ChargeOutcome")}/enum`, "refunded")),
  row("a charge outcome goes", "charge_outcome_removed", "breaking", without(`${schema("ChargeOutcome")}/enum`, "included")),
  // Arguable: "stable for automation" promises that codes stay, not that none is added.
  row("a reason code comes", "reason_code_added", "risky", append(`${schema("ReasonCode")}/enum`, "provider.gone")),
  row("a reason code goes", "reason_code_removed", "breaking", without(`${schema("ReasonCode")}/enum`, "result.empty")),
  row("an event type comes", "event_type_added", "risky", append(`${schema("EventType")}/enum`, "probe")),
  row("an event type goes", "event_type_removed", "breaking", without(`${schema("EventType")}/enum`, "model_call")),
  row("an entry type comes", "entry_type_added", "risky", append(`${schema("EntryType")}/enum`, "grant_gift")),
  row("an entry type goes", "entry_type_removed", "breaking", without(`${schema("EntryType")}/enum`, "grant_welcome_bonus")),
  row("the version rises, the header with it", "version_raised", "safe", all(put("/info/version", "2099-01-01.1"), put("/components/headers/ApiVersion/schema/const", "2099-01-01.1"))),
  row("the version rises, the header does not", "version_header_differs", "breaking", put("/info/version", "2099-01-01.1")),
  row("the version falls", "version_lowered", "breaking", all(put("/info/version", "2026-09-11.9"), put("/components/headers/ApiVersion/schema/const", "2026-09-11.9"))),
];

/** A parameter that is a reference goes. */
function without$ref(pointer: string, name: string) {
  return (spec: JsonObject): void => {
    const list = listAt(spec, pointer);
    const index = list.findIndex(
      (parameter) =>
        JSON.stringify(parameter) === JSON.stringify({ $ref: `#/components/parameters/${name}` }),
    );
    if (index < 0) throw new RangeError(`${pointer} has no reference to ${name}`);
    list.splice(index, 1);
  };
}

function renamePathParameter(spec: JsonObject): void {
  const paths = spec["paths"] as Record<string, Json>;
  const [path] = Object.keys(paths).filter((key) => key.endsWith("/{capability_id}"));
  const text = JSON.stringify(paths[path!]).replaceAll('"name":"capability_id"', '"name":"id"');
  paths[path!.replace("{capability_id}", "{id}")] = JSON.parse(text) as Json;
  Reflect.deleteProperty(paths, path!);
}

function choice(name: string, types: string[]) {
  return (spec: JsonObject): void => {
    const properties = (
      spec["components"] as { schemas: { InspectRequest: { properties: Record<string, Json> } } }
    ).schemas.InspectRequest.properties;
    const [first, ...others] = types;
    if ((properties[name] as { type?: Json }).type !== first) throw new RangeError(`${name} is not ${first}`);
    properties[name] = { anyOf: [properties[name]!, ...others.map((type) => ({ type }))] };
  };
}
