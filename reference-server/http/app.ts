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
import { basePath, contractVersion, openOperations, responseHeaders } from "../../generated/contract.ts";
import type { Config } from "../config.ts";
import type { Caller, Parts } from "../parts.ts";
import type { AnyOperation, Operations } from "./operation.ts";
import { createAdmission, type Admission, type Holding } from "./admission.ts";
import { createBodies } from "./body.ts";
import { publishedContract, requestError, type Contract } from "./contract.ts";
import { authenticate } from "./credentials.ts";
import { CannotServe, HttpError, notFound, RateLimited } from "./errors.ts";
import { health, measure } from "./health.ts";
import { textOf, toJudge } from "./kept-text.ts";
import { failure, type Context, type MoreItems } from "./operation.ts";
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
import { createSending, encodedText, type EncodedText, type Sending } from "./sending.ts";

/** Operations without authentication at the gate: the open ones, and the one that verifies a token itself. */
const withoutCaller: ReadonlySet<string> = new Set([...openOperations, "verifyToken"]);

/** Pages and other routes outside the API. */
export type Beside = (app: Express) => void;

/** The header on every answer, including those of the HTTP layer (contract: Versioning). */
export const versionHeader = { [responseHeaders.apiVersion]: contractVersion } as const;

/** The values that the gates of one request pass on. */
export interface Locals {
  operation?: string;
  caller?: Caller;
  /** Sends an answer without the validator's `response.json`, which cannot stream. */
  send?: Send;
  /** Items to send after those of the body. Only the first page has been validated. */
  more?: MoreItems;
  /** Set by the validator if the body about to be sent breaks the spec. */
  brokenAnswer?: string;
}

const locals = (response: Response): Locals => response.locals as Locals;

/**
 * The Express application: each operation of the spec behind its gates, in this order: version header, admission (503),
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
  return (path) => {
    if (path.includes(":")) return app;
    let routes = exact.get(path);
    if (routes === undefined) exact.set(path, (routes = express.Router(asWritten)));
    return routes;
  };
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

type Send = (response: Response, body: unknown) => void;

/** Answers belong to one account, and must not be taken for another content type. */
const privateHeaders = new Map([
  ["Cache-Control", "no-store"],
  ["X-Content-Type-Options", "nosniff"],
]);

/** Replaces `response.json` before the validator wraps it, so that the verdict is known before a byte is sent. */
const installSender =
  (operation: PublishedOperation, send: Send): RequestHandler =>
  (_request, response, next) => {
    response.setHeaders(privateHeaders);
    locals(response).operation = operation.id;
    locals(response).send = send;
    response.json = (body: unknown) => {
      send(response, body);
      return response;
    };
    next();
  };

/**
 * Sends an answer that keeps the contract; one that breaks it is handled as configured. The answer to a GET is refused
 * while there is no room for it; any other has had effects, and is owed.
 */
function sender(
  operation: PublishedOperation,
  contract: Contract,
  { admission, sending }: { admission: Admission; sending: Sending },
  config: Config,
  parts: Parts,
): Send {
  return (response, body) => {
    const stream = isStream(body) ? body : null;
    if (stream === null) response.setHeader("Content-Type", "application/json; charset=utf-8");
    const broken =
      locals(response).brokenAnswer ??
      contract.judge(operation, {
        status: response.statusCode,
        headers: response.getHeaders(),
        ...(stream === null && { body }),
      });
    if (broken !== null) {
      brokenAnswers.count += 1;
      parts.metrics?.brokenAnswer(operation.id);
      parts.log.error(
        { operation: operation.id, status: response.statusCode, broken, total: brokenAnswers.count },
        "an answer breaks the contract",
      );
      if (config.brokenAnswers === "refuse") {
        response.status(500).set("Content-Type", "application/json; charset=utf-8");
        response.end(
          JSON.stringify(failure(500, `The server's answer would break the contract: ${broken}.`)),
        );
        return;
      }
    }
    const holding = admission.holding(response);
    const { more } = locals(response);
    // A refusal for want of room has none.
    delete locals(response).more;
    const isOwed = operation.method !== "GET" || response.statusCode >= 400;
    let sent: Promise<void>;
    if (stream === null && more === undefined) {
      const whole = encodedText(textOf(body, broken === null));
      holding.answer(whole.bytes, isOwed);
      sent = sending.text(response, whole);
    } else {
      const beginning = { text: stream === null ? textOf(body, broken === null) : "" };
      const iterator = (stream ?? continued(beginning, more!))[Symbol.asyncIterator]();
      holding.answer(roomOf(encodedText(beginning.text)), isOwed);
      const read = (): Promise<Next> => whileOpen(response, iterator.next());
      sent = sending.parts(response, counted(read, holding));
    }
    sent.catch((error: unknown) => {
      const level = hasLeft(error) || error instanceof CannotServe ? "debug" : "error";
      parts.log[level]({ operation: operation.id, error }, "an answer ended early");
    });
  };
}

/** The room that a part of a streamed answer takes, of characters of two bytes; few are larger than the least. */
const roomOf = ({ bytes }: EncodedText): number => Math.max(262_144, 2 * bytes);

/**
 * Counts each part until the next is there: the stream holds it while it waits. A part without room ends the answer;
 * for the beginning of a list it was there before.
 */
async function* counted(read: () => Promise<Next>, holding: Holding): AsyncGenerator<EncodedText> {
  let next: Next;
  while (!(next = await read()).done) {
    const part = encodedText(next.value);
    holding.answer(roomOf(part), false);
    yield part;
  }
}

type Next = IteratorResult<string, unknown>;

/** Waits for a part, of which there is none once the reader leaves. A race of promises would keep every part. */
function whileOpen(response: Response, part: Promise<Next>): Promise<Next> {
  const { promise, resolve, reject } = Promise.withResolvers<Next>();
  const leave = (): void => resolve({ done: true, value: undefined });
  if (response.closed) leave();
  response.on("close", leave);
  part.then(resolve, reject);
  return promise.finally(() => response.off("close", leave));
}

/** Streams a JSON text that ends in a list, with more items appended. Keeps neither the text nor the items. */
async function* continued(beginning: { text: string }, more: MoreItems): AsyncGenerator<string> {
  const end = /\]\}*$/.exec(beginning.text)?.[0];
  if (end === undefined) throw new Error("a body with more items must end in a list");
  yield beginning.text.slice(0, -end.length);
  beginning.text = end;
  const textOfMore = (items: object[]): string => items.map((item) => `,${JSON.stringify(item)}`).join("");
  for await (const items of more) yield textOfMore(items.splice(0));
  yield end;
}

/** The number of answers that broke the contract since the process started. */
export const brokenAnswers = { count: 0 };

/** Whether a streamed answer ended because its client disconnected, which is allowed. */
const hasLeft = (error: unknown): boolean =>
  error instanceof Error &&
  "code" in error &&
  ["ERR_STREAM_PREMATURE_CLOSE", "ERR_STREAM_UNABLE_TO_PIPE"].includes(String(error.code));

const isStream = (body: unknown): body is AsyncIterable<string> =>
  typeof body === "object" && body !== null && Symbol.asyncIterator in body;

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
