import { readFileSync } from "node:fs";
import { stepsOf, valueAt } from "../../base/data.ts";
import { documentFile } from "../../base/pinned.ts";
import { basePath, limitedOperations, openOperations } from "../../generated/contract.ts";
import type { Quotas } from "../config.ts";
import type { OperationId } from "./operation.ts";

/** A JSON schema in the spec. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  [keyword: string]: unknown;
}

export interface SpecParameter {
  name: string;
  in: "query" | "path" | "header" | "cookie";
  schema: Schema;
  allowReserved?: boolean;
}

export interface SpecHeader {
  required?: boolean;
  schema: Schema;
}

export interface SpecResponse {
  headers?: Record<string, SpecHeader | { $ref: string }>;
  content?: Record<string, { schema: Schema }>;
}

export interface SpecOperation {
  operationId: OperationId;
  parameters?: (SpecParameter | { $ref: string })[];
  requestBody?: object;
  responses: Record<string, SpecResponse | { $ref: string }>;
}

export interface Spec {
  openapi: string;
  info: { version: string };
  servers?: { url: string }[];
  paths: Record<string, Record<string, unknown>>;
  components?: Record<string, Record<string, unknown>>;
}

/** One operation of the spec, with the data that the gates of http/ need. */
export interface PublishedOperation {
  id: OperationId;
  method: "GET" | "POST";
  /** As written in the spec, without the path prefix: `/capabilities/{capability_id}`. */
  path: string;
  spec: SpecOperation;
  hasBody: boolean;
  parameters: readonly SpecParameter[];
}

/** The bundled spec. A new copy each time, since the contract validator changes its input. */
export const readSpec = (): Spec => JSON.parse(readFileSync(documentFile(), "utf8")) as Spec;

/** The target of a `$ref` inside the spec, or the value itself. */
export function resolve<Value>(spec: Spec, value: Value | { $ref: string }): Value {
  if (typeof value !== "object" || value === null || !("$ref" in value)) return value;
  return resolve(spec, valueAt(spec, stepsOf(value.$ref)) as Value | { $ref: string });
}

/** The path of an operation in Express's notation. */
export const expressPath = (path: string): string => `${basePath}${path.replaceAll(/\{([^}]+)\}/g, ":$1")}`;

const methods = ["get", "post"] as const;

/** Every operation of the spec. */
export function publishedOperations(spec: Spec): PublishedOperation[] {
  return Object.entries(spec.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method] as SpecOperation | undefined;
      if (operation === undefined) return [];
      return [
        {
          id: operation.operationId,
          method: method === "get" ? ("GET" as const) : ("POST" as const),
          path,
          spec: operation,
          hasBody: operation.requestBody !== undefined,
          parameters: (operation.parameters ?? []).map((parameter) => resolve(spec, parameter)),
        },
      ];
    }),
  );
}

/** The quota of each limited operation: those with rate-limit headers (contract: Limits), and the open ones. */
export const quotaOf: Readonly<Partial<Record<OperationId, keyof Quotas>>> = Object.fromEntries([
  ...limitedOperations.map((id) => [id, id]),
  ...openOperations.map((id) => [id, "anonymous"]),
]);
