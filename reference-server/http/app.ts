import cors from "cors";
import express from "express";
import type {
  ErrorRequestHandler,
  Express,
  IRouter,
  NextFunction,
  Request,
  RequestHandler,
  Response,
  Router,
} from "express";
import { kept } from "../../base/data.ts";
import { basePath, contractVersion, openOperations, responseHeaders } from "../../generated/contract.ts";
import type { Config } from "../config.ts";
import type { Caller, Parts } from "../parts.ts";
import type { AnyOperation, Context, Operations } from "./operation.ts";
import { createAdmission, type Admission } from "./admission.ts";
import { installSender, locals, sender } from "./answer.ts";
import { createBodies } from "./body.ts";
import { publishedContract, requestError } from "./contract.ts";
import { authenticate } from "./credentials.ts";
import { CannotServe, HttpError, notFound, RateLimited } from "./errors.ts";
import { health, measure } from "./health.ts";
import { toJudge } from "./kept-text.ts";
import {
  expressPath,
  publishedOperations,
  quotaOf,
  readSpec,
  type PublishedOperation,
} from "./published-operations.ts";
import { publishedSpec } from "./published-spec.ts";
import { takeFromWindow } from "./rate-limits.ts";
import { asHttpError, refusalBody } from "./refusals.ts";
import { requestLog } from "./request-log.ts";
import { createSending } from "./sending.ts";

/** Operations without authentication at the gate: the open ones, and the one that verifies a token itself. */
const withoutCaller: ReadonlySet<string> = new Set([...openOperations, "verifyToken"]);

/** Pages and other routes outside the API. */
export type Beside = (app: Express) => void;

/** The header on every answer, including those of the HTTP layer (contract: Versioning). */
export const versionHeader = { [responseHeaders.apiVersion]: contractVersion } as const;

/**
 * The Express application: each operation of the spec behind its gates. Their order: version header, admission (503),
 * credential (401), rate limit (429), body (413, 422), contract (422), the operation, and the contract again for the
 * answer.
 */
export function createApp(
  config: Config,
  parts: Parts,
  operations: Operations,
  beside: Beside[] = [],
): Express {
  const contract = publishedContract();
  const spec = readSpec();
  const app = express();
  configure(app, config);

  app.use((_request, response, next) => {
    response.setHeader(responseHeaders.apiVersion, contractVersion);
    next();
  });
  app.use(requestLog(parts));
  measure(app, parts);
  app.use(refuseDoubtfulHost, headAsGet, discardBody);
  if (config.corsOrigins.length > 0) app.use(basePath, openTo(config.corsOrigins));
  for (const install of beside) install(app);

  const admission = createAdmission({ places: config.maxInFlight, bytes: maxHeldBytes });
  const bodies = createBodies(admission, config.bodyLimit);
  const sending = createSending();
  const published = publishedOperations(spec);
  const routes = routesByPath(app);
  for (const operation of published) {
    const path = expressPath(operation.path);
    const send = sender(operation, contract, { admission, sending }, config, parts);
    routes(path)[operation.method === "GET" ? "get" : "post"](
      path,
      installSender(operation, send),
      ...contract.watchAnswers(operation),
      admission.gate,
      ...(operation.hasBody ? [bodies.receive] : []),
      credentialGate(operation, admission, config, parts),
      ...(operation.hasBody ? [bodies.parse] : []),
      ...contract.checkRequest(operation),
      run(operation, operations[operation.id] as AnyOperation, admission, { ...parts, config }),
      refuse(operation, config, parts),
    );
  }
  health(app, config, parts);
  publishedSpec(app);
  for (const [path, allowed] of allowedMethods(published)) {
    app.all(path, (request, _response, next) => {
      const allow = allowed.join(", ");
      next(new HttpError(405, `${request.method} is not allowed here; allowed: ${allow}.`, { Allow: allow }));
    });
  }
  app.use((request, _response, next) => {
    next(notFound(`There is nothing at ${request.path}. The operations stand under ${basePath}.`));
  });
  app.use(refuse(null, config, parts));
  return app;
}

/**
 * Where to add the routes of a path. A request whose path is exactly one of them tries no others; paths with parameters
 * are tried in turn.
 */
function routesByPath(app: Express): (path: string) => IRouter {
  const exact = new Map<string, Router>();
  app.use((request, response, next) => {
    const routes = exact.get(request.path);
    if (routes === undefined) next();
    else routes(request, response, next);
  });
  return (path) => (path.includes(":") ? app : kept(exact, path, () => express.Router(asWritten)));
}

/** Bytes that all requests together may hold. */
export const maxHeldBytes = 134_217_728;

/** Paths exactly as in the contract. */
const asWritten = { caseSensitive: true, strict: true };

/** Routes without Express's additions. */
function configure(app: Express, config: Config): void {
  app.set("case sensitive routing", true);
  app.set("strict routing", true);
  app.set("query parser", "simple");
  app.set("etag", false);
  app.disable("x-powered-by");
  app.set("trust proxy", config.trustedProxies.length > 0 ? [...config.trustedProxies] : false);
}

/** Lets pages of these origins call the API, and read its headers. */
const openTo = (origins: readonly string[]): RequestHandler =>
  cors({
    origin: origins.includes("*") ? "*" : [...origins],
    methods: ["GET", "POST"],
    exposedHeaders: Object.values(responseHeaders),
  });

function allowedMethods(published: readonly PublishedOperation[]): Map<string, string[]> {
  const allowed = new Map<string, string[]>();
  for (const { path, method } of published) {
    const methods = method === "GET" ? ["GET", "HEAD"] : [method];
    allowed.set(expressPath(path), [...(allowed.get(expressPath(path)) ?? []), ...methods]);
  }
  return allowed;
}

/** Node would refuse a missing Host itself, without the version header; see server.ts. */
const refuseDoubtfulHost: RequestHandler = (request, _response, next) => {
  const hosts = request.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === "host").length;
  if (hosts > 1) return next(new HttpError(400, "A request names one Host, not several."));
  const lacksHost = request.httpVersion === "1.1" && hosts === 0;
  next(lacksHost ? new HttpError(400, "An HTTP/1.1 request needs a Host header.") : undefined);
};

/** HEAD is a GET whose body Node omits. */
const headAsGet: RequestHandler = (request, _response, next) => {
  if (request.method === "HEAD") request.method = "GET";
  next();
};

/** The body of a request that needs none does not wait in memory until the answer. */
const discardBody: RequestHandler = (request, _response, next) => {
  if (request.method !== "POST") request.resume();
  next();
};

/** The client's address, behind a trusted proxy the forwarded one: costly to find, and seldom asked for. */
const addressOf = ({ ip = "unknown" }: Request): string => ip;

/** Authenticates the caller and counts the request; an unauthenticated one counts against its address. */
function credentialGate(
  operation: PublishedOperation,
  admission: Admission,
  config: Config,
  parts: Parts,
): RequestHandler {
  const quota = quotaOf[operation.id];
  return async (request, response, next) => {
    const count = async (whom: { accountId: string } | { address: string }) => {
      if (quota !== undefined) await takeFromWindow(parts.limiter, config, quota, whom, response);
    };
    const holding = admission.holding(response);
    if (withoutCaller.has(operation.id)) {
      const address = addressOf(request);
      holding.belongTo(`address ${address}`);
      await count({ address });
      return next();
    }
    let caller: Caller;
    try {
      caller = await authenticate(parts.accounts, request.headers.authorization, operation.id);
    } catch (refusal) {
      if (refusal instanceof HttpError) await count({ address: addressOf(request) });
      throw refusal;
    }
    locals(response).caller = caller;
    holding.belongTo(caller.account.id);
    await count({ accountId: caller.account.id });
    next();
  };
}

function run(
  operation: PublishedOperation,
  execute: AnyOperation,
  admission: Admission,
  context: Context,
): RequestHandler {
  return async (request, response) => {
    const holding = admission.holding(response);
    const asked = {
      query: request.query,
      params: request.params,
      headers: request.headers as Record<string, string | undefined>,
      body: operation.hasBody ? ((request.body as unknown) ?? {}) : undefined,
      caller: locals(response).caller ?? null,
      hold: (bytes: number) => holding.add(bytes),
      get clientAddress() {
        return addressOf(request);
      },
    };
    const answer = await holding.during(() => execute(asked, context));
    response.status(answer.status);
    if (answer.headers !== undefined) response.set(answer.headers);
    if ("stream" in answer) {
      response.set("Content-Type", answer.contentType);
      locals(response).send?.(response, answer.stream);
    } else {
      if (answer.more !== undefined) locals(response).more = answer.more;
      response.json(toJudge(answer.body));
    }
  };
}

/** Answers an error; an unexpected one is logged and becomes a 500 without internal details. */
function refuse(operation: PublishedOperation | null, config: Config, parts: Parts): ErrorRequestHandler {
  return async (error: unknown, request: Request, response: Response, _next: NextFunction) => {
    let refusal = (operation === null ? undefined : requestError(error, operation)) ?? asHttpError(error);
    if (refusal === undefined) {
      parts.log.error({ operation: operation?.id, path: request.path, error }, "a request failed");
      refusal = new HttpError(500, "The server failed to carry out the request.");
    } else if (refusal instanceof CannotServe && refusal !== error) {
      parts.log.warn({ operation: operation?.id, error }, "a request could not be served");
    }
    if (refusal.status === 401 && operation !== null && quotaOf[operation.id] === undefined) {
      refusal = (await tooManyGuesses(request, config, parts)) ?? refusal;
    }
    if (response.headersSent) {
      response.destroy();
      return;
    }
    response.status(refusal.status).set(refusal.headers);
    response.json(refusalBody(refusal, operation?.id ?? null, parts));
  };
}

/** Wrong credentials that an address may send in a window, as a multiple of its anonymous quota. */
const guessesForEach = 10;

/** Answers 429 if an address has sent too many wrong credentials to operations without a quota of their own. */
async function tooManyGuesses(
  { ip = "unknown" }: Request,
  { quotas, windowSeconds }: Config,
  { limiter }: Parts,
): Promise<RateLimited | null> {
  const { allowed, limit, retryAfter } = await limiter.take(
    `guesses:address:${ip}`,
    guessesForEach * quotas.anonymous,
  );
  return allowed ? null : new RateLimited(limit, windowSeconds, retryAfter);
}
