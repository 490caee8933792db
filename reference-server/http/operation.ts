import type { operations } from "../../generated/api.ts";
import type { OpenOperation } from "../../generated/contract.ts";
import type { Config } from "../config.ts";
import type { Caller, Parts } from "../parts.ts";

/** The 21 operations, by their ids in the spec. */
export type OperationId = keyof operations;

/** Operations without a caller: those that need no credential, and the one that verifies a token itself. */
type OpenOperationId = OpenOperation | "verifyToken";

type Parameters<Id extends OperationId, In extends "query" | "path"> = operations[Id] extends {
  parameters: { [K in In]?: infer Values };
}
  ? [Exclude<Values, undefined>] extends [never]
    ? Record<never, never>
    : Exclude<Values, undefined>
  : Record<never, never>;

type Body<Id extends OperationId> = operations[Id] extends {
  requestBody?: { content: { "application/json": infer Content } };
}
  ? Content
  : undefined;

type Responses<Id extends OperationId> = operations[Id]["responses"];

/** A valid request in the types of the spec, with parameters coerced and defaults filled in. */
export interface Request<Id extends OperationId> {
  query: Parameters<Id, "query">;
  params: Parameters<Id, "path">;
  /** Header fields by lower-case name. */
  headers: Readonly<Record<string, string | undefined>>;
  body: Body<Id>;
  /** The caller; null for operations that need no credential. */
  caller: Id extends OpenOperationId ? null : Caller;
  /** Counts bytes that the work holds until it is answered. @throws CannotServe without room for them */
  hold(bytes: number): void;
  /** The client's address; behind a trusted proxy, the forwarded one. */
  clientAddress: string;
}

/** The environment of an operation: the parts of the server, and its configuration. */
export type Context = Parts & { config: Config };

/**
 * Items that follow those of a body, page by page, each emptied by its sender; the body must end in its list, as in
 * `{…, data: {…, items: […]}}`.
 */
export type MoreItems = AsyncIterable<object[]>;

/** A JSON answer with the body that the spec gives its status. */
type JsonAnswer<Id extends OperationId> = {
  [Status in keyof Responses<Id> & number]: Responses<Id>[Status] extends {
    content: { "application/json": infer Content };
  }
    ? { status: Status; body: Content; headers?: Readonly<Record<string, string>>; more?: MoreItems }
    : never;
}[keyof Responses<Id> & number];

/** A CSV answer, sent as it is produced. */
type StreamedAnswer<Id extends OperationId> = {
  [Status in keyof Responses<Id> & number]: Responses<Id>[Status] extends { content: { "text/csv": string } }
    ? {
        status: Status;
        contentType: "text/csv; charset=utf-8";
        stream: AsyncIterable<string>;
        headers?: Readonly<Record<string, string>>;
      }
    : never;
}[keyof Responses<Id> & number];

export type Answer<Id extends OperationId> = JsonAnswer<Id> | StreamedAnswer<Id>;

/**
 * One operation of the contract: a function of the request and its context, independent of Express and SQL. It returns
 * an answer, or throws a refusal of http/errors.ts for an answer shared by several operations.
 */
export type Operation<Id extends OperationId> = (
  request: Request<Id>,
  context: Context,
) => Promise<Answer<Id>>;

/** Every operation of the spec, with its implementation. */
export type Operations = { readonly [Id in OperationId]: Operation<Id> };

/** An operation as called by http/, after the contract has checked the request's type. */
export type AnyOperation = (
  request: {
    query: unknown;
    params: unknown;
    headers: Readonly<Record<string, string | undefined>>;
    body: unknown;
    caller: unknown;
    hold(bytes: number): void;
    clientAddress: string;
  },
  context: Context,
) => Promise<
  { status: number; headers?: Readonly<Record<string, string>> } & (
    { body: unknown; more?: MoreItems } | { contentType: string; stream: AsyncIterable<string> }
  )
>;

/** An envelope for success (contract: APIResponse). */
export const success = <Data extends object>(data: Data, message = "ok") => ({
  status: "success" as const,
  message,
  status_code: 0 as const,
  data,
});

/** An envelope for failure; `statusCode` is -7 for an invalid audit or ledger query. */
export const failure = <Code extends number>(statusCode: Code, message: string) => ({
  status: "failure" as const,
  message,
  status_code: statusCode,
  data: null,
});

/** The CSV answer of an export, offered to browsers as a file. */
export const csv = (stream: AsyncIterable<string>, fileName: string) => ({
  status: 200 as const,
  contentType: "text/csv; charset=utf-8" as const,
  stream,
  headers: { "Content-Disposition": `attachment; filename="${fileName}"` },
});
