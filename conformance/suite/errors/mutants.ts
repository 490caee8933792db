import {
  moving,
  answering,
  mutant,
  mutantsOf,
  onAnswers,
  onFields,
  onHeaders,
  onStatus,
  withBody,
  withStatus,
  withSuccess,
  type Body,
  type Change,
} from "../../changes/mutant.ts";

/** Replaces fields of failed Calls whose message matches, whatever their status. */
const onFailedCalls = (message: RegExp, fields: Record<string, unknown>): Change =>
  onAnswers(
    ({ operation }, { body }) =>
      operation === "call" &&
      body.includes('"success":false') &&
      message.test(String((JSON.parse(body) as Body)["error_message"])),
    (answer) => ({ ...answer, body: JSON.stringify({ ...(JSON.parse(answer.body) as Body), ...fields }) }),
  );

/** Charges a small amount for Calls of unknown tools. */
const charging = (chooses: (toolId: string) => boolean): Change =>
  answering("call", async (answer, { body: { tool_id: id = "" }, caller }, { books, catalog }) => {
    if (chooses(id) && catalog.find(id) === undefined) await moving(books, caller.account.id, -0.01);
    return answer;
  });

/** Reports success for the Call of one tool. */
const praising = (toolId: string): Change =>
  answering("call", (answer, { body }) =>
    body.tool_id === toolId
      ? { status: 200, body: { ...(answer as { body: Body }).body, success: true } }
      : answer,
  );

/** Gives an unhelpful message for the Call of a failed tool. */
const silent = (toolId: string): Change =>
  answering("call", (answer, { body }) =>
    body.tool_id === toolId
      ? { ...answer, body: { ...(answer as { body: Body }).body, error_message: "" } }
      : answer,
  );

/** Accepts a value that the server should refuse as an invalid query. */
const taking = (parameter: string, value: string): Change =>
  onAnswers(({ query }, { status }) => status === 400 && query.get(parameter) === value, withSuccess({}));

export const mutants = [
  ...mutantsOf({
    "ERRO-01": {
      "says error in the place of failure": onFields("getCredits", { status: "error" }, 401),
      "answers an empty message": onFields("probe", { message: "" }, 404),
    },
    "ERRO-02": {
      "answers status_code as a text": onFields("probe", { status_code: "401" }, 401),
      "puts an object into the data of an error": onFields("probe", { data: {} }, 404),
    },
    "ERRO-03": { "answers a 429 without the error object": onFields("discover", { status: "limited" }, 429) },
    "ERRO-04": {
      "does not say when to come back": onHeaders((_, { status }) => status === 429, {
        "retry-after": undefined,
      }),
    },
    "ERRO-05": {
      "answers an invalid usage query with 422": onStatus("listUsage", 400, 422),
      "takes any direction": onStatus("listLedger", 400, 200, ({ query }) => query.has("direction")),
      "takes the 30th of February for the 2nd of March": taking("start_date", "2026-02-30"),
      "takes the hour 25 for the next day's": taking("end_date", "2026-02-01T25:00:00Z"),
      "reads a direction in any case": taking("direction", "CONSUME"),
      "reads the first ten characters of a date": taking("start_date", "2026-02-01x"),
      "compares min_credits and max_credits as texts": taking("min_credits", "10"),
      "compares the whole credits of min_credits and max_credits": taking("min_credits", "1.5"),
      "refuses credits of exactly one amount": onStatus(
        "listUsage",
        200,
        withBody(400, { status: "failure", message: "no range", status_code: -7, data: null }),
        ({ query }) => query.has("min_credits") && query.get("min_credits") === query.get("max_credits"),
      ),
    },
    "ERRO-06": {
      "answers an invalid ledger query with status_code -1": onFields("listLedger", { status_code: -1 }, 400),
      "leaves data out of an invalid usage query": onFields("listUsage", { data: undefined }, 400),
    },
    "ERRO-07": {
      "exports nothing for a filter that it cannot read": onStatus("exportUsage", 422, 200),
      "feeds events above a credit below 0": onAnswers(
        ({ operation, query }) => operation === "listUsageFeed" && query.get("min_credits") === "-1",
        withStatus(200),
      ),
      "breaks down over a session that is an object": onStatus("discover", 422, 500, (_, { body }) =>
        body.includes("session_id"),
      ),
      "feeds nothing for a filter that it cannot read": onStatus("listUsageFeed", 422, 200),
      "answers a 422 with a list": onStatus("registerAnonymous", 422, (answer) => ({
        ...answer,
        body: "[]",
      })),
    },
    "ERRO-08": {
      "says only that something is wrong": onFields(
        "listLedger",
        { detail: [{ loc: [], msg: "invalid", type: "invalid" }] },
        422,
      ),
    },
    "ERRO-09": {
      "charges for a tool_id that is badly formed": charging((id) => id.includes(" ")),
      "answers a badly formed tool_id with the error object alone": onFailedCalls(/this is no tool id/, {
        success: undefined,
        error_message: undefined,
      }),
    },
    "ERRO-10": {
      "charges for a tool that it does not know": charging((id) => !id.includes(" ")),
      "does not say that a tool is unknown": onFailedCalls(/no\.such\.tool/, { error_message: null }),
    },
    "ERRO-11": { "says that the Call of an unavailable tool went well": praising("company.ownership.v1") },
    "ERRO-12": {
      "does not say which parameters are wrong": onFailedCalls(/another tool/, { error_message: null }),
    },
    "ERRO-13": { "does not say that a region is restricted": silent("map.tiles.v1") },
    "ERRO-14": { "says that a Call without a sign-in went well": praising("speech.transcribe.v1") },
    "ERRO-15": { "does not say that the provider refuses": silent("company.sanctions.v1") },
    "ERRO-16": {
      "does not name the execution that failed": onFailedCalls(/./, { execution_id: undefined }),
      "says that a failed Call went well": praising("news.search.v1"),
    },
    "ERRO-17": { "breaks down where a claim is refused": onStatus("startClaim", 422, 500) },
  }),
  ...(["exportUsage", "listUsageFeed"] as const).flatMap((operation) =>
    [
      ["credential_type", 32],
      ["oauth_client_id", 2048],
    ].map(([name, most]) =>
      mutant(
        "ERRO-07",
        `takes a ${name} of any length in ${operation}`,
        onStatus(operation, 422, 200, ({ query }) => (query.get(String(name)) ?? "").length > Number(most)),
      ),
    ),
  ),
];
