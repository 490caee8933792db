import { preferredLanguage } from "../../../reference-server/http/language.ts";
import {
  mutantsOf,
  onBody,
  onFields,
  onPath,
  sentOf,
  reading,
  onStatus,
  withBody,
  type Body,
  type Change,
} from "../../changes/mutant.ts";
import type { WireRequest } from "../../changes/wire.ts";
import { noResults } from "../inspect/mutants.ts";
import { onSearch } from "./mutants.ts";

const asksCards = (request: WireRequest): boolean => sentOf(request)["view"] === "routing";

/** Fails on the queries that the predicate selects. */
const failingOn = (chooses: (query: string) => boolean): Change =>
  onStatus("discover", 200, withBody(500, { status: "failure", message: "failed" }), (request) =>
    chooses(String(sentOf(request)["query"])),
  );

/** Accepts a `limit` out of range when cards are requested. */
const acceptingCards = (chooses: (limit: number) => boolean): Change =>
  onStatus(
    "discover",
    422,
    (answer, request) => withBody(200, { ...noResults, query: sentOf(request)["query"] })(answer),
    (request) => asksCards(request) && chooses(Number(sentOf(request)["limit"])),
  );

/** Discover interprets its limit differently when cards are requested. */
const limitingCards = (change: (asked: number) => number): Change =>
  reading("discover", ({ view, limit }) => ({ limit: view === "routing" ? change(limit) : limit }));

/** Negotiates the language incorrectly when the predicate selects the header. */
const negotiating = (chooses: (header: string) => boolean, language: "zh" | "en"): Change =>
  reading("discover", ({ lang }, { headers: { "accept-language": header } }) => ({
    lang: lang ?? (header !== undefined && chooses(header) ? language : preferredLanguage(header)),
  }));

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
export const mutants = mutantsOf({
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
    "ranks an exact id like any other words": onSearch((catalog) => (query, limit) => {
      const found = catalog.search(query, 100);
      const others = found.filter((tool) => tool.tool_id !== query);
      const exact = found.filter((tool) => tool.tool_id === query);
      return [...others.slice(0, 3), ...exact, ...others.slice(3)].slice(0, limit);
    }),
    "finds nothing by an id with a hyphen": onSearch(
      (catalog) => (query, limit) => (query.includes("-") ? [] : catalog.search(query, limit)),
    ),
    "has no card for the tool whose id is asked for": onPath("discover", "results", (results, request) =>
      asksCards(request)
        ? (results as Body[]).filter((card) => card["tool_id"] !== sentOf(request)["query"])
        : results,
    ),
  },
  "DISC-06": {
    "counts one card alone": onBody("discover", (body, request) =>
      asksCards(request) ? { ...body, total: 1 } : body,
    ),
  },
  "DISC-21": {
    "takes a query of null for an empty one": onStatus(
      "discover",
      422,
      withBody(200, { ...noResults, query: "" }),
      (request) => sentOf(request)["query"] === null,
    ),
  },
  "DISC-24": { "returns 25 cards without a limit": limitingCards((asked) => (asked === 20 ? 25 : asked)) },
  "DISC-25": {
    "returns 20 cards whatever the limit": limitingCards(() => 20),
    "returns 20 results whatever the limit where lang is given": reading("discover", ({ lang, limit }) => ({
      limit: lang === undefined ? limit : 20,
    })),
    "returns 20 results whatever the limit in a session": reading(
      "discover",
      ({ session_id: session, limit }) => ({ limit: session === undefined ? limit : 20 }),
    ),
  },
  "DISC-30": { "returns 20 cards at most": limitingCards((asked) => Math.min(20, asked)) },
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
    "asks for the best language alone, and else answers in English": negotiating(
      (header) => header.startsWith("tlh"),
      "en",
    ),
  },
  "DISC-40": {
    "answers 404 when it finds nothing": onStatus(
      "discover",
      200,
      withBody(404, { status: "failure", message: "none" }),
      (_, { body }) => body.includes('"results":[]'),
    ),
    "fails on a query of more than 500 characters": failingOn((query) => query.length > 500),
    "fails on a query that is empty": failingOn((query) => query === ""),
    "fails on a query with an apostrophe": failingOn((query) => query.includes("'")),
    "fails on a query that is no regular expression": failingOn((query) => query.includes("[")),
    "fails on a query with a NUL": failingOn((query) => query.includes("\u0000")),
  },
  "DISC-41": { "answers a revoked key with the error object alone": plainlyRefusing(/revoked/) },
  "DISC-42": { "answers the key of an ended trial with the error object alone": plainlyRefusing(/trial/) },
});
