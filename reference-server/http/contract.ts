import type { OutgoingHttpHeaders } from "node:http";
import url from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import type { RequestHandler, Response } from "express";
import { OpenApiValidator } from "express-openapi-validator/dist/openapi.validator.js";
import { kept } from "../../base/data.ts";
import { basePath } from "../../generated/contract.ts";
import { HttpError, Invalid, type Issue } from "./errors.ts";
import {
  expressPath,
  readSpec,
  resolve,
  type PublishedOperation,
  type Schema,
  type Spec,
  type SpecOperation,
  type SpecParameter,
  type SpecHeader,
  type SpecResponse,
} from "./published-operations.ts";

/*
 * The validator parses each address with the deprecated `url.parse`, and Node captures the stack of every such call
 * until one has warned: a tenth of a small request. So one call warns here, silently.
 */
const { noDeprecation = false } = process;
process.noDeprecation = true;
url.parse("/");
process.noDeprecation = noDeprecation;

/** Validates requests and answers against the spec. */
export interface Contract {
  /** Installs the validation of JSON answers below 500; must be the first handler of the operation's route. */
  watchAnswers(operation: PublishedOperation): RequestHandler[];
  /** Refuses a request that breaks the spec with Invalid; fills in defaults and coerces parameters. */
  checkRequest(operation: PublishedOperation): RequestHandler[];
  /**
   * The faults of an answer that `watchAnswers` does not check: status, content type, headers, and the body from 500
   * on. Null if there are none.
   */
  judge(operation: PublishedOperation, answer: SentAnswer): string | null;
}

/** An answer about to be sent; `body` is undefined for a stream. */
interface SentAnswer {
  status: number;
  /** By lower-case name. */
  headers: OutgoingHttpHeaders;
  body?: unknown;
}

/**
 * The contract on top of express-openapi-validator, which does not cover answers from 500 on, response headers,
 * undeclared content types and lenient numbers, and whose cache grows with each Content-Type. A JSON answer below 500
 * whose body breaks the spec is still sent by the owner of `response.json`, which finds the reason in
 * `response.locals.brokenAnswer`.
 */
export function createContract(spec: Spec): Contract {
  // The validator of an operation is created with its first request: all of them together would take a third of a
  // start.
  const validators = new Map<string, ReturnType<OpenApiValidator["installMiddleware"]>>();
  const validatorOf = (operation: PublishedOperation) => {
    let validator = validators.get(operation.id);
    if (validator === undefined) {
      const loaded = forValidator(spec, operation, validators.size + 1);
      validator = new OpenApiValidator({
        apiSpec: loaded.apiDoc,
        validateApiSpec: false,
        validateSecurity: false,
        fileUploader: false,
        validateRequests: { allowUnknownQueryParameters: true, allErrors: true },
        validateResponses: {
          onError(error, _body, request) {
            (request.res as Response).locals["brokenAnswer"] = error.message;
          },
        },
      }).installMiddleware(Promise.resolve(loaded));
      validators.set(operation.id, validator);
    }
    return validator;
  };
  const handler = (operation: PublishedOperation, name: string): RequestHandler => {
    let handle: RequestHandler | undefined;
    return (request, response, next) => {
      handle ??= validatorOf(operation).find((each) => each.name === name) as RequestHandler | undefined;
      if (handle === undefined) throw new Error(`express-openapi-validator no longer has a ${name}`);
      return handle(request, response, next);
    };
  };
  const judgeAnswer = answerJudge(spec);

  return {
    watchAnswers: (operation) => [
      normalizeContentType,
      rememberingRoute(handler(operation, "metadataMiddleware")),
      handler(operation, "responseMiddleware"),
    ],
    checkRequest: (operation) => [
      plainNumbers(operation),
      sparingPlainParameters(handler(operation, "requestMiddleware")),
    ],
    judge: judgeAnswer,
  };
}

let published: Contract | undefined;

/** The contract of the published spec. All servers of a process share it, since compiling it is most of a start. */
export const publishedContract = (): Contract => (published ??= createContract(readSpec()));

/**
 * A spec in the library's loaded form. Its own loader compiles OpenAPI's schema even if that validates nothing.
 */
type Loaded = Awaited<Parameters<OpenApiValidator["installMiddleware"]>[0]>;

/**
 * The part of the spec for one operation, under our path prefix and with reserved characters in queries allowed as in
 * RFC 3986. It is kept small, since the library walks through all of it for each status: references are resolved, and
 * parts that constrain nothing are removed.
 * @param serial unique among specs
 */
function forValidator(
  spec: Spec,
  { path, method, parameters, spec: written }: PublishedOperation,
  serial: number,
): Loaded {
  const operation = inlined(spec, written) as SpecOperation;
  for (const parameter of operation.parameters ?? []) allowReserved(parameter as SpecParameter);
  for (const response of Object.values(operation.responses)) delete (response as SpecResponse).headers;
  const apiDoc = {
    openapi: spec.openapi,
    info: spec.info,
    servers: [{ url: basePath }],
    paths: { [path]: { [method.toLowerCase()]: operation } },
  };
  const route = {
    basePath,
    expressRoute: expressPath(path),
    openApiRoute: `${basePath}${path}`,
    method,
    pathParams: parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name),
  };
  return { apiDoc: apiDoc as unknown as Loaded["apiDoc"], basePaths: [basePath], routes: [route], serial };
}

/** Members for documentation only. */
const forPeople = new Set(["summary", "description", "title", "example", "examples"]);

/**
 * A part of the spec with references resolved. @param names whether its members have names of our own, as properties do
 */
function inlined(spec: Spec, part: unknown, names = false): unknown {
  if (Array.isArray(part)) return part.map((member) => inlined(spec, member));
  if (typeof part !== "object" || part === null) return part;
  if ("$ref" in part) return inlined(spec, resolve(spec, part as { $ref: string }));
  return Object.fromEntries(
    Object.entries(part)
      .filter(([name]) => names || !forPeople.has(name))
      .map(([name, member]) => [name, inlined(spec, member, !names && name === "properties")]),
  );
}

function allowReserved(parameter: SpecParameter): void {
  if (parameter.in === "query") parameter.allowReserved = true;
}

/**
 * Every body is parsed as JSON whatever its Content-Type, and a request without a body has none. A single value also
 * bounds the library's cache, whose key is the Content-Type.
 */
const normalizeContentType: RequestHandler = (request, _response, next) => {
  if (request.method === "POST") request.headers["content-type"] = "application/json";
  else delete request.headers["content-type"];
  next();
};

/** The library's record of a request's route, without the path parameters. */
interface Route {
  openapi?: { pathParams: Record<string, unknown>; schema: SpecOperation };
}

/**
 * Caches routes: the library finds one by compiling the paths of all operations for each request, but each of our
 * routes always belongs to the same operation.
 */
function rememberingRoute(lookUp: RequestHandler): RequestHandler {
  let found: Route["openapi"];
  return (request, response, next) => {
    const route = request as Route;
    if (found !== undefined) {
      route.openapi = { ...found, pathParams: { ...request.params } };
      return next();
    }
    return lookUp(request, response, (error?: unknown) => {
      if (error === undefined) found = route.openapi;
      next(error);
    });
  };
}

/**
 * Once the library has compiled an operation's rules, it needs the list of parameters only to take apart lists and
 * objects. Yet it goes through all of them for each request, so the plain ones are left out.
 */
function sparingPlainParameters(check: RequestHandler): RequestHandler {
  let sparing: SpecOperation | undefined;
  return (request, response, next) => {
    const { openapi } = request as Route;
    if (openapi === undefined) return check(request, response, next);
    const whole = openapi.schema;
    if (sparing !== undefined) openapi.schema = sparing;
    return check(request, response, (error?: unknown) => {
      sparing ??= {
        ...whole,
        parameters: whole.parameters?.filter((parameter) => !isPlain(parameter)) ?? [],
      };
      next(error);
    });
  };
}

const plain: Readonly<Record<string, { form: RegExp; say: string }>> = {
  integer: { form: /^-?\d{1,15}$/, say: "an integer in decimal digits" },
  number: { form: /^-?\d+(\.\d+)?$/, say: "a decimal number" },
  boolean: { form: /^(true|false)$/, say: "true or false" },
};

/**
 * Refuses values that the library would coerce although no client means them: `0x10`, `1e1`, ` 5 `, a repeated
 * parameter.
 */
function plainNumbers(operation: PublishedOperation): RequestHandler {
  const queried = operation.parameters.filter((parameter) => parameter.in === "query");
  return (request, _response, next) => {
    // Express parses the query each time that it is asked for.
    const { query } = request;
    const issues = queried.flatMap(({ name, schema }): Issue[] => {
      const value: unknown = query[name];
      if (value === undefined) return [];
      const loc = ["query", name];
      if (Array.isArray(value)) return [{ loc, msg: `${name} must be given once`, type: "repeated" }];
      const rule = scalarTypes(schema)
        .map((type) => plain[type])
        .find((found) => found !== undefined);
      if (rule === undefined || rule.form.test(String(value))) return [];
      return [{ loc, msg: `${name} must be ${rule.say}`, type: "type", input: value }];
    });
    next(issues.length > 0 ? new Invalid(issues) : undefined);
  };
}

const scalarTypes = (schema: Schema): string[] =>
  schema.type === undefined ? [] : Array.isArray(schema.type) ? schema.type : [schema.type];

/** Whether a parameter's values are scalars. */
function isPlain(parameter: SpecParameter | { $ref: string }): boolean {
  const types = "schema" in parameter ? scalarTypes(parameter.schema) : [];
  return types.length > 0 && !types.includes("array") && !types.includes("object");
}

/**
 * The library's findings on a request, in the contract's terms; undefined for an error of another kind. A Probe without
 * `tool_id` is not malformed but cannot be carried out: 400.
 */
export function requestError(error: unknown, operation: PublishedOperation): HttpError | undefined {
  if (!(error instanceof Error) || !("status" in error) || error.status !== 400) return undefined;
  if (!("errors" in error) || !Array.isArray(error.errors)) return undefined;
  const found = error.errors as Fault[];
  const alternatives = new Set(
    found.filter(({ errorCode }) => errorCode?.startsWith("anyOf.")).map(({ path }) => path),
  );
  const single = found.filter(({ path }) => !alternatives.has(path)).map(issueOf);
  const either = [...alternatives].map((path) => {
    const faults = found.filter((fault) => fault.path === path && !fault.errorCode?.startsWith("anyOf."));
    return issueOf({
      path,
      message: faults.map(({ message }) => message).join(" or "),
      errorCode: "anyOf",
    });
  });
  const issues = [...single, ...either];
  const lacksToolId = issues.some(({ loc, type }) => loc.join("/") === "query/tool_id" && type === "missing");
  if (operation.id === "probe" && lacksToolId) {
    return new HttpError(400, "Which tool? Name it in the query: /tools/probe?tool_id=<tool_id>.");
  }
  return new Invalid(issues);
}

/** One fault in the library's format. */
interface Fault {
  path: string;
  message: string;
  errorCode?: string;
}

/** The requirements of the spec's patterns and exceptions in words, by field. */
const forms: Readonly<Record<string, string>> = {
  respond_with: "must be full, summary, or fields: with JSONPath expressions such as fields:$.name",
  model: "must have neither whitespace nor control characters",
  code: "must be the 6 digits of the e-mail",
  capability_id: "must have a character other than whitespace",
  max_response_size: "must be a number of bytes of at least 1, or -1 for no limit",
};

function issueOf({ path, message, errorCode }: Fault): Issue {
  const loc = path.split("/").filter((step) => step !== "");
  if (loc[0] === "params") loc[0] = "path";
  const keyword = errorCode?.split(".")[0] ?? "invalid";
  const name = loc.slice(1).join(".") || loc[0] || "request";
  if (keyword === "required") return { loc, msg: `${name} is required`, type: "missing" };
  const says = ["pattern", "not", "minimum"].includes(keyword) ? (forms[name] ?? message) : message;
  return { loc, msg: `${name} ${says}`, type: keyword };
}

/** Skips the validation of the spec's schemas themselves, which would have to compile the meta-schema. */
const asGiven = { strict: false, validateSchema: false, meta: false } as const;

function answerJudge(spec: Spec): Contract["judge"] {
  const ajv = new Ajv2020(asGiven);
  addFormats.default(ajv);
  const lenient = new Ajv2020({ ...asGiven, coerceTypes: true });
  addFormats.default(lenient);
  const compiled = new Map<string, ValidateFunction>();
  const bodyRule = (key: string, schema: Schema): ValidateFunction =>
    kept(compiled, key, () => ajv.compile(inlined(spec, schema) as Schema));
  const headerRule = (key: string, schema: Schema): ValidateFunction =>
    kept(compiled, key, () =>
      lenient.compile({ type: "object", properties: { value: inlined(spec, schema) } }),
    );

  const declared = new Map<string, DeclaredAnswer | null>();
  const declare = (operation: PublishedOperation, status: number): DeclaredAnswer | null => {
    const response = operation.spec.responses[status] ?? operation.spec.responses.default;
    if (response === undefined) return null;
    const { headers = {}, content }: SpecResponse = resolve(spec, response);
    return {
      content,
      headers: Object.entries(headers).map(([name, written]) => {
        const { required = false, schema }: SpecHeader = resolve(spec, written);
        const key = "$ref" in written ? written.$ref : `${operation.id} ${status} ${name}`;
        return { name, field: name.toLowerCase(), required, rule: headerRule(key, schema) };
      }),
    };
  };

  return (operation, { status, headers, body }) => {
    const where = `${operation.id} ${status}`;
    const answer = kept(declared, where, () => declare(operation, status));
    if (answer === null) return `status ${status} is not documented`;

    for (const { name, field, required, rule } of answer.headers) {
      const value = headers[field];
      if (value === undefined) {
        if (required) return `header ${name} is missing`;
        continue;
      }
      if (!rule({ value: String(value) }))
        return `header ${name} ${ajv.errorsText(rule.errors, { dataVar: "" })}`;
    }

    const mediaType = headers["content-type"]?.toString().split(";")[0]?.trim().toLowerCase();
    if (answer.content === undefined) {
      return mediaType === undefined ? null : `content type ${mediaType}, although no body is documented`;
    }
    const content = mediaType === undefined ? undefined : answer.content[mediaType];
    if (content === undefined) return `content type ${mediaType ?? "(none)"} is not documented`;
    if (status < 500 || body === undefined) return null;
    const rule = bodyRule(where, content.schema);
    return rule(body) ? null : ajv.errorsText(rule.errors, { dataVar: "body" });
  };
}

/** The spec of the answers of one operation with one status. */
interface DeclaredAnswer {
  headers: readonly { name: string; field: string; required: boolean; rule: ValidateFunction }[];
  content: SpecResponse["content"] | undefined;
}
