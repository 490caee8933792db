import type { Json, JsonObject } from "../../base/data.ts";
import type { OpenApiDocument } from "../bundle.ts";
import { boundsOf, isOpen, joined, listOf, objectOf, resolved, strings, typesOf } from "./schema.ts";

const methods = ["get", "put", "post", "delete", "patch"];

/** An operation of the bundle, with its path and method. */
export interface SpecOperation {
  id: string;
  method: string;
  path: string;
  operation: JsonObject;
}

/** The operations of a bundle in its order. */
export const operationsOf = (spec: OpenApiDocument): SpecOperation[] =>
  Object.entries(spec.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = objectOf(item[method]);
      const id = operation["operationId"];
      return typeof id === "string" ? [{ id, method: method.toUpperCase(), path, operation }] : [];
    }),
  );

/**
 * Names that a clause may use for groups of operations. An operation that judges the credential it receives, such as
 * verify-token, is not among the authenticated ones: it need not refuse a bad credential.
 */
export function groupsOf(operations: readonly SpecOperation[]): Record<string, string[]> {
  const those = (chosen: (operation: JsonObject) => boolean): string[] =>
    operations.filter(({ operation }) => chosen(operation)).map(({ id }) => id);
  return {
    authenticated: those(
      (operation) => listOf(operation["security"]).length > 0 && operation["x-judges-credential"] !== true,
    ),
    open: those((operation) => listOf(operation["security"]).length === 0),
    limited: those((operation) => operation["x-rate-limit"] !== undefined),
  };
}

/** The entry of each operation in generated/contract.ts. */
export const operationTable = (spec: OpenApiDocument): JsonObject =>
  Object.fromEntries(
    operationsOf(spec).map(({ id, method, path, operation }) => [
      id,
      {
        method,
        path,
        needsCredential: listOf(operation["security"]).length > 0,
        answer: answerKind(spec, operation),
        rateLimit: operation["x-rate-limit"] ?? null,
        eventType: operation["x-event-type"] ?? null,
        changes: operation["x-changes"] ?? null,
        ...parametersOf(spec, operation),
      },
    ]),
  );

/** Whether a success body is the envelope, an object of its own, or CSV. */
function answerKind(spec: OpenApiDocument, operation: JsonObject): string {
  const answer = resolved(spec, objectOf(objectOf(operation["responses"])["200"]));
  const content = objectOf(answer["content"]);
  const json = content["application/json"];
  if (json === undefined) return Object.keys(content)[0] === "text/csv" ? "csv" : "object";
  const schema = joined(spec, objectOf(objectOf(json)["schema"]));
  const first = listOf(schema["anyOf"])[0];
  const properties = objectOf((first ? joined(spec, first) : schema)["properties"]);
  return joined(spec, objectOf(properties["status"]))["const"] === "success" ? "envelope" : "object";
}

/** The parameters of an operation by location, and the fields of its body. */
function parametersOf(spec: OpenApiDocument, operation: JsonObject): JsonObject {
  const places: Record<string, JsonObject> = { pathParameters: {}, query: {}, headers: {}, body: {} };
  const placeOf: Record<string, string> = { path: "pathParameters", query: "query", header: "headers" };
  for (const reference of listOf(operation["parameters"])) {
    const parameter = resolved(spec, reference);
    const place = places[placeOf[String(parameter["in"])] ?? ""];
    if (!place) throw new Error(`${String(parameter["name"])}: a parameter is in path, query or header`);
    place[String(parameter["name"])] = parameterOf(
      spec,
      objectOf(parameter["schema"]),
      parameter["required"] === true,
      isOpen(parameter),
    );
  }
  const content = objectOf(resolved(spec, objectOf(operation["requestBody"]))["content"]);
  const body = joined(spec, objectOf(objectOf(content["application/json"])["schema"]));
  for (const [name, field] of Object.entries(objectOf(body["properties"])))
    places["body"]![name] = parameterOf(
      spec,
      objectOf(field),
      strings(body["required"]).includes(name),
      false,
    );
  return places;
}

function parameterOf(spec: OpenApiDocument, node: JsonObject, required: boolean, open: boolean): Json {
  const schema = joined(spec, node);
  const items = schema["items"] === undefined ? undefined : joined(spec, objectOf(schema["items"]));
  return {
    types: typesOf(spec, schema),
    required,
    ...(open || isOpen(schema) ? { open: true } : {}),
    ...boundsOf(schema),
    ...(schema["x-values"] === undefined ? {} : { values: schema["x-values"] }),
    ...(items === undefined ? {} : { items: { types: typesOf(spec, items), ...boundsOf(items) } }),
  };
}
