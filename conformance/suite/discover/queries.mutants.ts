import type { Parts } from "../../../reference-server/parts.ts";
import { preferredLanguage } from "../../../reference-server/http/language.ts";
import {
  mutantsOf,
  onAnswers,
  onBody,
  onFields,
  onOperation,
  onPart,
  onPath,
  withBody,
  type Body,
  type Change,
  type Mutant,
} from "../../proof/mutant.ts";
import type { WireRequest } from "../../proof/wire.ts";

const sentOf = (request: WireRequest): Body => JSON.parse(request.sent() || "{}") as Body;
const asksCards = (request: WireRequest): boolean => sentOf(request)["view"] === "routing";

/** A search with other results, or in another order. */
const finding = (search: (catalog: Parts["catalog"]) => Parts["catalog"]["search"]): Change =>
  onPart("catalog", (catalog) => ({
    ...catalog,
    find: (id) => catalog.find(id),
    capability: (id) => catalog.capability(id),
    search: search(catalog),
  }));

/** Fails on the queries that the predicate selects. */
const failingOn = (chooses: (query: string) => boolean): Change =>
  onAnswers(
    (request, { status }) =>
      request.operation === "discover" && status === 200 && chooses(String(sentOf(request)["query"])),
    withBody(500, { status: "failure", message: "failed" }),
  );

/** Accepts a `limit` out of range when cards are requested. */
const acceptingCards = (chooses: (limit: number) => boolean): Change =>
  onAnswers(
    (request, { status }) =>
      request.operation === "discover" &&
      status === 422 &&
      asksCards(request) &&
      chooses(Number(sentOf(request)["limit"])),
    (answer, request) => ({
      ...answer,
      status: 200,
      body: JSON.stringify({
        query: sentOf(request)["query"],
        search_id: "srch_0",
        total: 0,
        results: [],
        elapsed_time_ms: 1,
        remaining_credits: 1,
        error_message: null,
      }),
    }),
  );

/** Discover interprets its limit differently when cards are requested. */
const limitingCards = (limit: (asked: number) => number): Change =>
  onOperation(
    "discover",
    (run) => (request, context) =>
      request.body.view === "routing"
        ? run({ ...request, body: { ...request.body, limit: limit(request.body.limit) } }, context)
        : run(request, context),
  );

/** Negotiates the language incorrectly when the predicate selects the header. */
const negotiating = (chooses: (header: string) => boolean, language: "zh" | "en"): Change =>
  onOperation("discover", (run) => (request, context) => {
    const header = request.headers["accept-language"];
    const lang = header !== undefined && chooses(header) ? language : preferredLanguage(header);
    return run({ ...request, body: { ...request.body, lang: request.body.lang ?? lang } }, context);
  });

/** Answers a refused key with only the error object, for some reasons. */
const plainlyRefusing = (reason: RegExp): Change =>
  onBody(
    "discover",
    (body) =>
      reason.test(String(body["message"]))
        ? { status: "failure", message: body["message"], status_code: 401, data: null }
        : body,
    401,
  );

/** Discover's query, limit, languages and keys in unusual cases. */
export const mutants: Mutant[] = mutantsOf({
  "DISC-46": {
    "repeats a query without what is not ASCII": onFields("discover", {
      query: (query: unknown) => String(query).replaceAll(/[^\p{ASCII}]/gu, "?"),
    }),
    "repeats the first 200 characters of a query": onFields("discover", {
      query: (query: unknown) => String(query).slice(0, 200),
    }),
  },
  "DISC-04": {
    "answers the time of day as elapsed_time_ms": onFields("discover", { elapsed_time_ms: () => Date.now() }),
    "answers elapsed_time_ms in microseconds": onFields("discover", {
      elapsed_time_ms: (old: unknown) => 1000 * (Number(old) + 2),
    }),
  },
  "DISC-22": {
    "ranks an exact id like any other words": finding((catalog) => (query, limit) => {
      const found = catalog.search(query, 100);
      const others = found.filter((tool) => tool.tool_id !== query);
      const exact = found.filter((tool) => tool.tool_id === query);
      return [...others.slice(0, 3), ...exact, ...others.slice(3)].slice(0, limit);
    }),
    "finds nothing by an id with a hyphen": finding(
      (catalog) => (query, limit) => (query.includes("-") ? [] : catalog.search(query, limit)),
    ),
    "has no card for the tool whose id is asked for": onPath("discover", "results", (results, request) =>
      asksCards(request)
        ? (results as Body[]).filter((card) => card["tool_id"] !== sentOf(request)["query"])
        : results,
    ),
  },
  "DISC-24": { "returns 25 cards without a limit": limitingCards((asked) => (asked === 20 ? 25 : asked)) },
  "DISC-25": { "returns 20 cards whatever the limit": limitingCards(() => 20) },
  "DISC-27": { "takes a limit of 0 for cards": acceptingCards((limit) => limit < 1) },
  "DISC-28": { "takes a limit of 1000 for cards": acceptingCards((limit) => limit > 100) },
  "DISC-35": {
    "shows parameters without their texts in view full, and with them without a view": onPath(
      "discover",
      "results.*.params",
      (params, request) =>
        sentOf(request)["view"] === "full"
          ? (params as Body[]).map(({ description: _text, ...param }) => param)
          : params,
    ),
  },
  "DISC-39": {
    "does not know a language in capitals": negotiating((header) => /ZH/.test(header), "en"),
    "takes a language with the weight 0 for a wish": negotiating((header) => /zh;q=0$/.test(header), "zh"),
  },
  "DISC-40": {
    "answers 404 when it finds nothing": onAnswers(
      ({ operation }, { status, body }) =>
        operation === "discover" && status === 200 && /"results":\[\]/.test(body),
      withBody(404, { status: "failure", message: "none" }),
    ),
    "fails on a query of more than 500 characters": failingOn((query) => query.length > 500),
    "fails on a query that is empty": failingOn((query) => query === ""),
    "fails on a query with a NUL": failingOn((query) => query.includes("\u0000")),
  },
  "DISC-41": { "answers a revoked key with the error object alone": plainlyRefusing(/revoked/) },
  "DISC-42": { "answers the key of an ended trial with the error object alone": plainlyRefusing(/trial/) },
});
