import { Ajv2020 } from "ajv/dist/2020.js";
import type { ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import type { RequestHandler, Response } from "express";
import { OpenApiValidator } from "express-openapi-validator/dist/openapi.validator.js";
import { basePath } from "../../generated/contract.ts";
import { hasMoreValuesThan, isDeeperThan } from "../nesting.ts";
import { HttpError, Invalid, type Issue } from "./errors.ts";
import {
  expressPath,
  resolve,
  type PublishedOperation,
  type Schema,
  type Spec,
  type SpecOperation,
  type SpecParameter,
  type SpecHeader,
  type SpecResponse,
} from "./published-operations.ts";

/** Judges requests and answers by the spec. */
export interface Contract {
  /** Installs the judgement of JSON answers below 500; stands first on the operation's route. */
  watchAnswers(operation: PublishedOperation): RequestHandler[];
  /** Refuses a request that breaks the spec with Invalid; fills in defaults and coerces parameters. */
  checkRequest(operation: PublishedOperation): RequestHandler[];
  /**
   * What is wrong with an answer beyond what `watchAnswers` sees: status, content type, headers, and the body from
   * 500 on. Null when nothing is.
   */
  judge(operation: PublishedOperation, answer: SentAnswer): string | null;
}

/** An answer as it is about to be sent; `body` undefined for a stream. */
interface SentAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body?: unknown;
}

/**
 * The contract as express-openapi-validator reads it, with what that library leaves open closed: answers from 500 on,
 * response headers, undeclared content types, lenient numbers, a cache that grows by Content-Type.
 * @param onBrokenAnswer told of every JSON answer below 500 whose body breaks the spec; the answer is sent all the same
 *   by whoever owns `response.json`.
 */
export function createContract(
  spec: Spec,
  onBrokenAnswer: (response: Response, reason: string) => void,
): Contract {
  // An operation's validator is made with its first request: all of them at once would be a third of a start.
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
          onError: (error, _body, request) => onBrokenAnswer(request.res as Response, error.message),
        },
      }).installMiddleware(Promise.resolve(loaded));
      validators.set(operation.id, validator);
    }
    return validator;
  };
  const handler =
    (operation: PublishedOperation, name: string): RequestHandler =>
    (request, response, next) => {
      const found = validatorOf(operation).find((each) => each.name === name);
      if (found === undefined) throw new Error(`express-openapi-validator no longer has a ${name}`);
      return (found as RequestHandler)(request, response, next);
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
      refuseUnbounded,
      handler(operation, "requestMiddleware"),
    ],
    judge: judgeAnswer,
  };
}

/** A spec as the library holds it once it is loaded. Its own loader compiles OpenAPI's schema, also to judge nothing. */
type Loaded = Awaited<Parameters<OpenApiValidator["installMiddleware"]>[0]>;

/**
 * An operation's part of the spec: at our path prefix, with reserved characters in queries, as RFC 3986 has it, and as
 * small as can be, since it is walked through whole for each status: each reference is replaced by what it names, and
 * what judges nothing is left out.
 * @param serial no other spec's
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

/** Members that say something to people alone. */
const forPeople = new Set(["summary", "description", "title", "example", "examples"]);

/** A part of the spec without references. @param names whether its members are named by us, as properties are */
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
 * Bodies are JSON, whatever a client calls them, and a request without a body has no type. One value for each also
 * keeps the library's cache, whose key is the Content-Type, from growing.
 */
const normalizeContentType: RequestHandler = (request, _response, next) => {
  if (request.method === "POST") request.headers["content-type"] = "application/json";
  else delete request.headers["content-type"];
  next();
};

/** What the library knows of a request's route, beside the parameters in its path. */
interface Route {
  openapi?: { pathParams: Record<string, unknown> };
}

/**
 * The library looks a route up by compiling the paths of all operations for each request. A route of ours is always
 * the same operation, so that what was found once is found for good.
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

const plain: Readonly<Record<string, { form: RegExp; say: string }>> = {
  integer: { form: /^-?\d{1,15}$/, say: "an integer in decimal digits" },
  number: { form: /^-?\d+(\.\d+)?$/, say: "a decimal number" },
  boolean: { form: /^(true|false)$/, say: "true or false" },
};

/** Refuses what the library would coerce although no client means it: `0x10`, `1e1`, ` 5 `, a parameter given twice. */
function plainNumbers(operation: PublishedOperation): RequestHandler {
  const queried = operation.parameters.filter((parameter) => parameter.in === "query");
  return (request, _response, next) => {
    const issues = queried.flatMap(({ name, schema }): Issue[] => {
      const value: unknown = request.query[name];
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

/** Levels of arrays and objects that a body may have. */
const mostLevels = 100;
/** Values that a body may have: the validator reports a fault for each, and judges them all before it answers. */
const mostValues = 10_000;

/** Refuses what would be costly to judge. */
const refuseUnbounded: RequestHandler = (request, _response, next) => {
  const refuse = (msg: string, type: string) => next(new Invalid([{ loc: ["body"], msg, type }]));
  if (isDeeperThan(mostLevels, request.body)) {
    return refuse(`the body is nested more than ${mostLevels} levels deep`, "nesting");
  }
  if (hasMoreValuesThan(mostValues, request.body)) {
    return refuse(`the body holds more than ${mostValues} values`, "size");
  }
  next();
};

const scalarTypes = (schema: Schema): string[] =>
  schema.type === undefined ? [] : Array.isArray(schema.type) ? schema.type : [schema.type];

/**
 * What the library found wrong with a request, in the contract's terms; undefined for an error of another kind.
 * A Probe without `tool_id` is no malformed request but an impossible one: 400.
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

/** One fault as the library reports it. */
interface Fault {
  path: string;
  message: string;
  errorCode?: string;
}

/** What the patterns and exceptions of the spec's requests ask for, by field, in words. */
const forms: Readonly<Record<string, string>> = {
  respond_with: "must be full, summary, or fields: with JSONPath expressions such as fields:$.name",
  model: "must have neither whitespace nor control characters",
  code: "must be the 6 digits of the e-mail",
  capability_id: "must have a character that is no whitespace",
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

/** Schemas of the spec are not judged by a schema of their own, which would have to be compiled for it. */
const asGiven = { strict: false, validateSchema: false, meta: false } as const;

function answerJudge(spec: Spec): Contract["judge"] {
  const ajv = new Ajv2020(asGiven);
  addFormats.default(ajv);
  const lenient = new Ajv2020({ ...asGiven, coerceTypes: true });
  addFormats.default(lenient);
  const compiled = new Map<string, ValidateFunction>();
  const bodyRule = (key: string, schema: Schema): ValidateFunction => {
    let rule = compiled.get(key);
    if (rule === undefined) compiled.set(key, (rule = ajv.compile(inlined(spec, schema) as Schema)));
    return rule;
  };
  const headerRule = (key: string, schema: Schema): ValidateFunction => {
    let rule = compiled.get(key);
    if (rule === undefined) {
      rule = lenient.compile({ type: "object", properties: { value: inlined(spec, schema) } });
      compiled.set(key, rule);
    }
    return rule;
  };

  return (operation, { status, headers, body }) => {
    const found = operation.spec.responses[status] ?? operation.spec.responses.default;
    if (found === undefined) return `status ${status} is not documented`;
    const response: SpecResponse = resolve(spec, found);
    const where = `${operation.id} ${status}`;

    for (const [name, declared] of Object.entries(response.headers ?? {})) {
      const header: SpecHeader = resolve(spec, declared);
      const value = headers[name.toLowerCase()];
      if (value === undefined) {
        if (header.required === true) return `header ${name} is missing`;
        continue;
      }
      const key = "$ref" in declared ? declared.$ref : `${where} ${name}`;
      const rule = headerRule(key, header.schema);
      if (!rule({ value })) return `header ${name} ${ajv.errorsText(rule.errors, { dataVar: "" })}`;
    }

    const mediaType = headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
    if (response.content === undefined) {
      return mediaType === undefined ? null : `content type ${mediaType}, although no body is documented`;
    }
    const content = mediaType === undefined ? undefined : response.content[mediaType];
    if (content === undefined) return `content type ${mediaType ?? "(none)"} is not documented`;
    if (status < 500 || body === undefined) return null;
    const rule = bodyRule(where, content.schema);
    return rule(body) ? null : ajv.errorsText(rule.errors, { dataVar: "body" });
  };
}

/** The header fields of an answer as text, by lower-case name. */
export function sentHeaders(response: Response): Record<string, string> {
  return Object.fromEntries(
    Object.entries(response.getHeaders()).map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
}
