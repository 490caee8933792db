import { Ajv2020 } from "ajv/dist/2020.js";
import type { ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import type { RequestHandler, Response } from "express";
import { middleware as openApiValidator } from "express-openapi-validator";
import { basePath } from "../config.ts";
import { isDeeperThan } from "../nesting.ts";
import { HttpError, Invalid, type Issue } from "./errors.ts";
import {
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
  /** Installs the judgement of JSON answers below 500; stands first on an operation's route. One for each route. */
  watchAnswers(): RequestHandler[];
  /** Refuses a request that breaks the spec with Invalid; fills in defaults and coerces parameters. */
  checkRequest(operation: PublishedOperation): RequestHandler[];
  /**
   * What is wrong with an answer beyond what `watchAnswers` sees: status, content type, headers, and the body from
   * 500 on. Null when nothing is.
   */
  judge(operation: PublishedOperation, answer: SentAnswer): string | null;
}

/** An answer as it is about to be sent; `body` undefined for a stream. */
export interface SentAnswer {
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
  const validator = openApiValidator({
    apiSpec: forValidator(spec) as unknown as Parameters<typeof openApiValidator>[0]["apiSpec"],
    validateApiSpec: false,
    $refParser: { mode: "dereference" },
    validateSecurity: false,
    fileUploader: false,
    validateRequests: { allowUnknownQueryParameters: true, allErrors: true },
    validateResponses: {
      onError: (error, _body, request) => onBrokenAnswer(request.res as Response, error.message),
    },
  });
  const named = (name: string): RequestHandler => {
    const found = validator.find((handler) => handler.name === name);
    if (found === undefined) throw new Error(`express-openapi-validator no longer has a ${name}`);
    return found as RequestHandler;
  };
  const judgeAnswer = answerJudge(spec);

  return {
    watchAnswers: () => [
      normalizeContentType,
      rememberingRoute(named("metadataMiddleware")),
      named("responseMiddleware"),
    ],
    checkRequest: (operation) => [plainNumbers(operation), refuseDeep, named("requestMiddleware")],
    judge: judgeAnswer,
  };
}

/**
 * The spec as the library needs it: at our path prefix, with reserved characters in queries, as RFC 3986 has it, and
 * as small as can be, since it is walked through whole for each status of each operation: each reference is replaced
 * by what it names, and what judges nothing is left out.
 */
function forValidator(spec: Spec): Spec {
  const copy = {
    ...spec,
    servers: [{ url: basePath }],
    paths: inlined(spec, spec.paths) as Spec["paths"],
    components: { securitySchemes: spec.components?.["securitySchemes"] ?? {} },
  };
  for (const item of Object.values(copy.paths)) {
    for (const operation of Object.values(item)) {
      const { parameters, responses } = operation as Partial<SpecOperation>;
      for (const parameter of parameters ?? []) allowReserved(parameter as SpecParameter);
      for (const response of Object.values(responses ?? {})) delete (response as SpecResponse).headers;
    }
  }
  return copy;
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

const refuseDeep: RequestHandler = (request, _response, next) => {
  const msg = `the body is nested more than ${mostLevels} levels deep`;
  const isDeep = isDeeperThan(mostLevels, request.body);
  next(isDeep ? new Invalid([{ loc: ["body"], msg, type: "nesting" }]) : undefined);
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

function issueOf({ path, message, errorCode }: Fault): Issue {
  const loc = path.split("/").filter((step) => step !== "");
  if (loc[0] === "params") loc[0] = "path";
  const keyword = errorCode?.split(".")[0] ?? "invalid";
  const name = loc.slice(1).join(".") || loc[0] || "request";
  return keyword === "required"
    ? { loc, msg: `${name} is required`, type: "missing" }
    : { loc, msg: `${name} ${message}`, type: keyword };
}

function answerJudge(spec: Spec): Contract["judge"] {
  const ajv = new Ajv2020({ strict: false, validateSchema: false });
  addFormats.default(ajv);
  ajv.addSchema(spec, "spec");
  const lenient = new Ajv2020({ strict: false, validateSchema: false, coerceTypes: true });
  addFormats.default(lenient);
  lenient.addSchema(spec, "spec");
  const compiled = new Map<string, ValidateFunction>();
  const bodyRule = (key: string, schema: Schema): ValidateFunction => {
    let rule = compiled.get(key);
    if (rule === undefined) compiled.set(key, (rule = ajv.compile(rebased(schema))));
    return rule;
  };
  const headerRule = (key: string, schema: Schema): ValidateFunction => {
    let rule = compiled.get(key);
    if (rule === undefined) {
      rule = lenient.compile({ type: "object", properties: { value: rebased(schema) } });
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
      const rule = headerRule(key, resolve(spec, header.schema));
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

/** A schema whose references point into the spec as it was added under the name `spec`. */
function rebased(schema: Schema): Schema {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) =>
      key === "$ref" && typeof value === "string" && value.startsWith("#") ? `spec${value}` : value,
    ),
  ) as Schema;
}

/** The header fields of an answer as text, by lower-case name. */
export function sentHeaders(response: Response): Record<string, string> {
  return Object.fromEntries(
    Object.entries(response.getHeaders()).map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
}
