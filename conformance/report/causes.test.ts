import { expect, it } from "vitest";
import { causesIn, causesOf, causesOrEach, type Cause } from "./causes.ts";
import { namesIn } from "../judge/fact.ts";
import { factOf } from "./earlier.ts";
import type { Exchange } from "../judge/exchange.ts";
import type { Finding } from "../judge/finding.ts";
import type { OperationId } from "../../generated/contract.ts";
import { sampleCheck, sampleReport } from "./sample-report.fixture.ts";

const exchange = (operation: OperationId, status: number): Exchange => ({
  operation,
  account: null,
  started_at: 0,
  duration_ms: 1,
  request: { method: "GET", url: `http://server/api/v1/${operation}`, headers: {}, body: null },
  response: { status, headers: {}, body: "{}" },
  error: null,
});

/** What made a finding of these tests: a rule where its id ends in `always` or in a field's path. */
function madeBy(id: string): Pick<Finding, "rule"> {
  const field = /-\d{3}-(.+)$/.exec(id)?.[1] ?? null;
  return field !== null || id.endsWith("/always") ? { rule: { field } } : {};
}

const finding = (id: string, at: Exchange, facts: Partial<Finding>): Finding => ({
  ...sampleCheck(),
  ...madeBy(id),
  id,
  clauses: [id.split("/")[0]!],
  exchanges: [at],
  culprit: 0,
  ...facts,
});

/** @param expected @param received as a report of 0.1.0 has them */
const red = (id: string, at: Exchange, expected: string, received: string): Finding =>
  finding(id, at, { verdict: "fail", expected, received, fact: factOf(expected, received) });
const blocked = (id: string, at: Exchange, reason: string): Finding =>
  finding(id, at, { verdict: "blocked", reason, needed: namesIn(reason) });

const brief = ({ lead, checks, blocks }: Cause): unknown => [lead, checks.length, blocks.length];

it("puts checks that wait for an answer under the rule of the field that is wrong in it", () => {
  const [call, other] = [exchange("call", 200), exchange("call", 200)];
  const rule = red("CALL-03/call-200-success", call, "success: boolean", '"true"');
  const findings = [
    red("ACCT-01/x", exchange("getCredits", 200), "data: object", "null"),
    blocked("BILL-01/a", call, "the call did not succeed"),
    blocked("BILL-02/b", other, "the call did not succeed"),
    red("CALL-35/c", other, "a Call response with success true", "{}"),
    rule,
  ];
  const broken = new Map([call, other].map((sent) => [sent, [rule.id]]));
  expect(causesOf(findings, { exchanges: [], broken }).map(brief)).toEqual([
    ["CALL-03/call-200-success", 2, 2],
    ["ACCT-01/x", 1, 0],
  ]);
});

it("joins a rule and a check of one field, but not the envelope's rule that shares a word of its name", () => {
  const [event, list] = [exchange("getUsageEvent", 200), exchange("listUsage", 200)];
  const check = { ...red("USAG-26/a", event, "data.success: true", "{}"), exchanges: [event, list] };
  const envelope = red("HTTP-06/always", list, "status success or failure, a message string", "{}");
  const rule = red("USAG-12/always", exchange("getUsageEvent", 200), "success true or false", '{"id":"1"}');
  const causes = causesOf([check, envelope, rule], {
    exchanges: [],
    broken: new Map([[list, [envelope.id]]]),
  });
  expect(causes.map(({ checks }) => checks.toSorted())).toEqual([
    ["USAG-12/always", "USAG-26/a"],
    ["HTTP-06/always"],
  ]);
});

it("tells data that is not an object apart from an envelope that lacks a message", () => {
  const at = exchange("getUsageEvent", 200);
  const findings = [
    red("HTTP-05/always", at, "the envelope: status, message, status_code, data", "{}"),
    red("HTTP-09/always", at, "data: object", '"unexpected"'),
    red("USAG-01/getUsageEvent-200-data.id", at, "data.id: string, a UUID", "nothing"),
  ];
  const broken = new Map([
    [at, findings.map(({ id }) => id)],
    [exchange("listSettlements", 200), ["HTTP-05/always"]],
  ]);
  const causes = causesOf(findings, { exchanges: [], broken });
  expect(causes.map(({ checks }) => checks.toSorted())).toEqual([
    ["HTTP-09/always", "USAG-01/getUsageEvent-200-data.id"],
    ["HTTP-05/always"],
  ]);
});

it("puts rows that a filter should not select under the field that they lack", () => {
  const row = '{"id":"01a21d11","entry_type":"consume_tool_execute"}';
  const [list, other] = [exchange("listLedger", 200), exchange("listLedger", 200)];
  const findings = [
    red("LEDG-04/always", list, "amount_credits as a number", row),
    red("LEDG-41/a", list, "a row of direction=consume that does not satisfy it: nothing", row),
    red("LEDG-02/listLedger-200-data.items.each.source_system", other, "source_system: string", "nothing"),
    red("ACCT-20/b", other, "entries of other systems: to be empty", `[${row}]`),
  ];
  const broken = new Map([
    [list, [findings[0]!.id]],
    [other, [findings[2]!.id]],
  ]);
  expect(causesOf(findings, { exchanges: [], broken }).map(({ checks }) => checks)).toEqual([
    ["LEDG-04/always", "LEDG-41/a"],
    ["LEDG-02/listLedger-200-data.items.each.source_system", "ACCT-20/b"],
  ]);
});

it("takes the body of a 422 with another status for a 422 with a wrong status", () => {
  const of = (operation: OperationId, body: string): Exchange => {
    const at = exchange(operation, 400);
    return { ...at, response: { ...at.response!, body } };
  };
  const detail = '{"detail":[{"loc":["query","limit"],"msg":"too many","type":"max"}]}';
  const findings = [
    red("CALL-33/a", of("call", "{}"), "status 422", "status 400 with {}"),
    red("ERRO-06/always", of("listLedger", detail), 'status "failure"', detail),
  ];
  const causes = causesOf(findings, { exchanges: [], broken: new Map() });
  expect(causes.map(({ checks }) => checks)).toEqual([["CALL-33/a", "ERRO-06/always"]]);
});

it("names an operation that is not implemented once, with the line that declares it", () => {
  const at = exchange("listUsage", 404);
  const findings = [
    red("USAG-01/a", at, "status 200", "status 404 with {}"),
    blocked("BILL-01/b", at, "404"),
  ];
  const [cause, ...more] = causesOf(findings, { exchanges: [at], broken: new Map() });
  expect(more).toEqual([]);
  expect(cause).toMatchObject({
    what: "GET /auth/usage/history/v2 is not implemented (404)",
    declare: "features: {listUsage: {off: not implemented yet}}",
    blocks: ["BILL-01/b"],
  });
});

it("takes an operation for absent although a body that is not an object is refused before it", () => {
  const at = exchange("probe", 404);
  const refused = { ...exchange("probe", 422), request: { ...at.request, method: "POST", body: "[]" } };
  const findings = [red("PROB-01/a", at, "status 200", "status 404 with {}")];
  const [cause] = causesOf(findings, { exchanges: [at, refused], broken: new Map() });
  expect(cause!.what).toBe("POST /tools/probe is not implemented (404)");
});

it("takes a read by id for absent only where it does not ask for a credential", () => {
  const at = exchange("getUsageEvent", 404);
  const findings = [
    red("AUTH-02/a", at, "the status of getUsageEvent without a credential: 401", "404"),
    red("USAG-40/b", at, "status 200", "status 404 with {}"),
  ];
  const declared = (exchanges: Exchange[]) =>
    causesOf(findings.slice(0, 1), { exchanges, broken: new Map() }).map(({ declare }) => declare);
  expect(declared([at])).toEqual(["features: {getUsageEvent: {off: not implemented yet}}"]);
  expect(declared([at, exchange("getUsageEvent", 200)])).toEqual([undefined]);
  expect(causesOf(findings, { exchanges: [at], broken: new Map() })).toHaveLength(1);
});

it("joins one wrong status at many operations, and not at two", () => {
  const wrong = (operation: OperationId): Finding =>
    red(`HTTP-01/${operation}`, exchange(operation, 201), "status 200", "status 201 with {}");
  expect(causesOf(["discover", "inspect", "probe"].map((id) => wrong(id as OperationId)))).toHaveLength(1);
  expect(causesOf(["discover", "inspect"].map((id) => wrong(id as OperationId)))).toHaveLength(2);
});

it("keeps everything failed or blocked in exactly one cause, even for a report that names none", () => {
  const verdicts = ["pass", "fail", "warn", "blocked", "error", "unverified"] as const;
  const report = sampleReport(verdicts.map((verdict) => sampleCheck({ verdict, reason: "why" })));
  const ids = causesIn(report).flatMap(({ checks, blocks }) => [...checks, ...blocks]);
  const wanted = report.checks.filter(({ verdict }) => !["pass", "unverified"].includes(verdict));
  expect(ids.toSorted()).toEqual(wanted.map(({ id }) => id).toSorted());
});

it("names an operation that refuses everything, and what is missing because of it", () => {
  const call = { ...exchange("call", 400), request: { ...exchange("call", 400).request, method: "POST" } };
  const ledger = exchange("listLedger", 200);
  const findings = [
    finding("BILL-29/b", ledger, {
      verdict: "fail",
      expected: "the usage events: not to be empty",
      received: "[]",
      exchanges: [call, ledger],
      culprit: 1,
    }),
    red("CALL-35/a", call, "status 200", "status 400 with {}"),
  ];
  const [cause, ...more] = causesOf(findings, { exchanges: [call, ledger], broken: new Map() });
  expect(more).toEqual([]);
  expect(cause).toMatchObject({ what: "POST /tools/execute answers 400 to everything", lead: "CALL-35/a" });
});

it("says once that a header is missing, whichever clauses ask for it and whatever refuses everything", () => {
  const at = { ...exchange("registerAnonymous", 403), account: "account 1" };
  const findings = ["VERS-01", "VERS-02"].map((clause) =>
    red(
      `${clause}/always`,
      clause === "VERS-01" ? exchange("discover", 200) : at,
      "header X-Api: 1",
      "nothing",
    ),
  );
  findings.push(red("TRIA-01/a", at, "status 200", "status 403 with {}"));
  const causes = causesOf(findings, { exchanges: [at], broken: new Map() });
  expect(causes.map(brief)).toEqual([
    ["VERS-01/always", 2, 0],
    ["TRIA-01/a", 1, 0],
  ]);
  expect(causes[1]!.declare).toBe("features: {registerAnonymous: {off: not implemented yet}}");
});

it("takes an operation for refused where its status and words are those of a path that does not exist", () => {
  const refusal = (operation: OperationId | null, body: string): Exchange => ({
    ...exchange("verifyClaim", 400),
    operation,
    response: { status: 400, headers: {}, body },
  });
  const nowhere = refusal(null, '{"message":"nothing is at GET /no-such-operation"}');
  const whatOf = (body: string): string | undefined => {
    const at = refusal("verifyClaim", body);
    const findings = [red("TRIA-21/a", at, "status 422", "status 400 with {}")];
    return causesOf(findings, { exchanges: [at, nowhere], broken: new Map() })[0]?.what;
  };
  const answersIt = "POST /agent/claim-verify answers 400 to everything";
  expect(whatOf('{"message":"nothing is at POST /api/v1/agent/claim-verify"}')).toBe(answersIt);
  expect(whatOf('{"message":"the code is not text"}')).toMatch(/expected status 422, received status 400/);
});

it("puts what two answers disagree on under the rule of the field that one of them breaks", () => {
  const [search, inspect] = [exchange("discover", 200), exchange("inspect", 200)];
  const field = red(
    "DISC-12/discover-200-results.each.params.each.type",
    search,
    "results.0.params.0.type: string",
    "{}",
  );
  const compares = (received: string): Finding => ({
    ...red("INSP-05/a", inspect, "what Discover says otherwise than Inspect: to be empty", received),
    exchanges: [search, inspect],
    culprit: 1,
  });
  const joined = (received: string): unknown =>
    causesOf([compares(received), field], { exchanges: [], broken: new Map([[search, [field.id]]]) }).map(
      brief,
    );
  expect(joined('["a.tool: params.symbol.type"]')).toEqual([[field.id, 2, 0]]);
  expect(joined('["a.tool: params.symbol.kind"]')).toEqual([
    [field.id, 1, 0],
    ["INSP-05/a", 1, 0],
  ]);
});

it("does not put what another account shows under a refused registration", () => {
  const registration = exchange("registerAnonymous", 403);
  const at = { ...registration, request: { ...registration.request, method: "POST" } };
  const search = exchange("discover", 200);
  const findings = [
    red("TRIA-01/a", at, "status 200", "status 403 with {}"),
    finding("LIMI-01/a", search, {
      verdict: "fail",
      expected: "requests of one window: 120",
      received: "248",
      exchanges: [at, search],
      culprit: 1,
    }),
  ];
  expect(causesOf(findings, { exchanges: [at, search], broken: new Map() })).toHaveLength(2);
});

it("puts rules under the rule of a field that the same answers always break, and twins together", () => {
  const [one, other] = [exchange("discover", 200), exchange("discover", 200)];
  const field = red("DISC-12/discover-200-results.each.name", one, "results.0.name: string", "{}");
  const findings = [
    red("DISC-20/always", one, "results.0: sample_parameters with the required name", "{}"),
    red("HTTP-05/always", other, "the envelope", "{}"),
    red("HTTP-06/always", other, "a message", "{}"),
    field,
  ];
  const broken = new Map([
    [one, [field.id, "DISC-20/always"]],
    [other, [field.id, "HTTP-05/always", "HTTP-06/always"]],
  ]);
  expect(causesOf(findings, { exchanges: [], broken }).map(brief)).toEqual([[field.id, 4, 0]]);
  const apart = new Map([
    [one, [field.id]],
    [other, ["HTTP-05/always", "HTTP-06/always"]],
  ]);
  expect(causesOf(findings.slice(1), { exchanges: [], broken: apart }).map(brief)).toEqual([
    ["HTTP-05/always", 2, 0],
    [field.id, 1, 0],
  ]);
});

it("puts a member that an envelope lacks under its own rule, where another envelope lacks another", () => {
  const [credits, readiness] = [exchange("getCredits", 200), exchange("getLedgerReadiness", 200)];
  const findings = [
    red("HTTP-05/always", credits, "the envelope: status, message, status_code, data", "{}"),
    red("HTTP-06/always", credits, "a message", "{}"),
    red("HTTP-09/always", readiness, "data: object", "nothing"),
    red("ACCT-23/getLedgerReadiness-200-data", readiness, "data: object", "nothing"),
  ];
  const broken = new Map([
    [credits, ["HTTP-05/always", "HTTP-06/always"]],
    [readiness, ["HTTP-05/always", "HTTP-09/always", "ACCT-23/getLedgerReadiness-200-data"]],
  ]);
  expect(causesOf(findings, { exchanges: [], broken }).map(({ checks }) => checks)).toEqual([
    ["HTTP-05/always", "HTTP-06/always"],
    ["HTTP-09/always", "ACCT-23/getLedgerReadiness-200-data"],
  ]);
});

it("puts what a wrong status causes under it", () => {
  const findings = [
    ...(["call", "inspect"] as const).map((id) =>
      red(`ERRO-07/${id}`, exchange(id, 400), `the status of ${id} with {}: 422`, "400 with {}"),
    ),
    red("CAPA-09/x", exchange("queryCapability", 400), "status 200 or 422", "status 400 with {}"),
    red("PROB-18/probe-400-status", exchange("probe", 400), "status: string", "nothing"),
  ];
  expect(causesOf(findings).map(brief)).toEqual([["ERRO-07/call", 4, 0]]);
});

it("says once what one object lacks, by the rule of its outermost field, with what checks miss in it", () => {
  const at = exchange("listLedger", 200);
  const findings = [
    red("LEDG-21/listLedger-200-data.items", at, "data.items: array", "nothing"),
    red("LEDG-23/listLedger-200-data.total", at, "data.total: integer", "nothing"),
    red("ACCT-06/a", at, "whether an amount rises: true", "false"),
    red("LEDG-23/b", at, "the totals of the pages: [1]", "[null]"),
  ];
  const broken = new Map([[at, findings.slice(0, 2).map(({ id }) => id)]]);
  const [cause, ...more] = causesOf(findings, { exchanges: [at], broken });
  expect(more).toEqual([]);
  expect(cause!.what).toBe("GET /auth/credits/ledger → 200: data lacks items, total");
});

it("puts findings that need an id under the rule of the id, and those that repeat a wrong value under its rule", () => {
  const [list, read, call] = [
    exchange("listLedger", 200),
    exchange("getLedgerEntry", 404),
    exchange("call", 200),
  ];
  const id = red("LEDG-01/listLedger-200-data.items.each.id", list, "data.items.0.id: string", "{}");
  const success = red("CALL-03/call-200-success", call, "success: boolean", '"true"');
  const after = { exchanges: [list, read], culprit: 1 };
  const findings = [
    id,
    success,
    { ...red("LEDG-18/a", read, "status 200", "status 404 with {}"), ...after },
    {
      ...red("BILL-03/a", list, 'data.items.0.success: "true"', "true"),
      exchanges: [call, list],
      culprit: 1,
    },
  ];
  const broken = new Map([
    [list, [id.id]],
    [call, [success.id]],
  ]);
  expect(causesOf(findings, { exchanges: [], broken }).map(brief)).toEqual([
    [success.id, 2, 0],
    [id.id, 2, 0],
  ]);
});

it("puts blocked checks under a wrong status everywhere, and under an absent operation that they asked", () => {
  const absent = exchange("exportUsage", 404);
  const findings = [
    ...(["call", "inspect"] as const).map((of) =>
      red(`ERRO-07/${of}`, exchange(of, 400), "status 422", "status 400 with {}"),
    ),
    blocked("UFED-05/a", exchange("listUsageFeed", 400), "no answer of the server is of this API"),
    red("UEXP-01/a", absent, "status 200", "status 404 with {}"),
    { ...blocked("BILL-12/a", absent, "fewer than two rows"), culprit: null },
  ];
  expect(causesOf(findings, { exchanges: [absent], broken: new Map() }).map(brief)).toEqual([
    ["ERRO-07/call", 2, 1],
    ["UEXP-01/a", 1, 1],
  ]);
});

it("says once that a header is missing from one answer and from all answers of an operation", () => {
  const findings = [
    red("LIMI-01/a", exchange("discover", 429), "X-Limit of the answers of discover: not to be empty", "[]"),
    red("LIMI-21/always", exchange("inspect", 200), "headers X-Limit", "nothing"),
  ];
  expect(causesOf(findings)).toHaveLength(1);
});

it("names a stranger that answers with a page in place of the API, once", () => {
  const page = { status: 403, headers: {}, body: "<!doctype html><title>Just a moment</title>" };
  const [search, read] = [exchange("discover", 403), exchange("listUsage", 403)].map((sent) => ({
    ...sent,
    response: page,
  }));
  const findings = [
    red("DISC-01/a", search!, "status 200", "status 403 with <!doctype html>"),
    red("HTTP-02/always", read!, "a JSON body", '"text/html"'),
    blocked("USAG-01/a", read!, "GET /auth/usage/history/v2 answered 403"),
  ];
  const [cause, ...more] = causesOf(findings);
  expect(more).toEqual([]);
  const absent = exchange("listUsage", 404);
  const both = [...findings, red("USAG-02/a", absent, "status 200", "status 404 with {}")];
  expect(causesOf(both, { exchanges: [read!, absent], broken: new Map() })[1]!.what).toContain(
    "not implemented",
  );
  expect(cause!.what).toMatch(/ → 403 is an HTML page: something in front of the server/);
});

it("puts under a missing header only what expects the header", () => {
  const [search, balance] = [exchange("discover", 200), exchange("getCredits", 200)];
  const findings = [
    red("VERS-01/always", search, "header X-Api: 1", "nothing"),
    red("DISC-01/a", search, "search_id: string", "nothing"),
    red("ACCT-02/b", balance, "the amounts in data: at least 2", "1"),
    blocked("ERRO-08/c", search, "discover does not refuse a broken limit"),
  ];
  const broken = new Map([search, balance].map((sent) => [sent, ["VERS-01/always"]]));
  expect(causesOf(findings, { exchanges: [], broken }).map(brief)).toEqual([
    ["DISC-01/a", 1, 1],
    ["VERS-01/always", 1, 0],
    ["ACCT-02/b", 1, 0],
  ]);
});

it("joins checks that expect something of several operations in the same words", () => {
  const quota = (operation: OperationId, at: number): Finding =>
    red(`LIMI-0${at}/a`, exchange(operation, 200), `requests of ${operation} in 60 s: ${at}20`, "260");
  const findings = (["discover", "inspect", "probe"] as const).map(quota);
  expect(causesOf(findings).map(brief)).toEqual([["LIMI-00/a", 3, 0]]);
  expect(causesOf(findings.slice(1))).toHaveLength(2);
});

it("says that an operation refuses everything, even if it refuses invalid JSON in another way", () => {
  const at = exchange("registerAnonymous", 403);
  const noJson = exchange("registerAnonymous", 400);
  noJson.request.body = "{";
  const findings = [red("TRIA-01/a", at, "status 200", "status 403 with {}")];
  const [cause] = causesOf(findings, { exchanges: [at, noJson], broken: new Map() });
  expect(cause).toMatchObject({
    what: "POST /agent/anonymous-register answers 403 to everything",
    declare: "credentials: {account: KEY, other_account: KEY}",
  });
});

it("puts a check under the one field that is wrong in its answer, unless many operations fail it likewise", () => {
  const at = exchange("listUsage", 200);
  const type = red(
    "USAG-02/listUsage-200-data.items.each.event_type",
    at,
    "data.items.0.event_type: string",
    "{}",
  );
  const quotas = (["listUsage", "inspect", "probe"] as const).map((id) =>
    red(`LIMI-01/${id}`, id === "listUsage" ? at : exchange(id, 200), `requests of ${id}: 120`, "260"),
  );
  const event = red("USAG-04/a", at, "whether a new event is of the type: true", "false");
  const broken = new Map([[at, [type.id]]]);
  expect(causesOf([event, type, ...quotas], { exchanges: [], broken }).map(brief)).toEqual([
    ["LIMI-01/listUsage", 3, 0],
    [type.id, 2, 0],
  ]);
});

it("puts a check under a value that it has read elsewhere, where it is missing", () => {
  const [list, spent] = [exchange("listUsage", 200), exchange("getCreditsSpent", 200)];
  const missing = red("BILL-11/a", list, 'data.items.0.charge_outcome: "charged"', "nothing");
  const sum = {
    ...red("ACCT-09/b", spent, "total_credits of charge_outcome=charged: 0 credits", "15"),
    exchanges: [list, spent],
    culprit: 1,
  };
  expect(causesOf([sum, missing]).map(brief)).toEqual([[missing.id, 2, 0]]);
  expect(causesOf([{ ...sum, exchanges: [spent], culprit: 0 }, missing])).toHaveLength(2);
});

it("does not say that a read by id refuses everything where no list shows an id", () => {
  const [list, read] = [exchange("listUsage", 200), exchange("getUsageEvent", 422)];
  const id = red("USAG-01/listUsage-200-data.items.each.id", list, "data.items.0.id: string", "nothing");
  const after = { exchanges: [list, read], culprit: 1 };
  const findings = [id, { ...red("USAG-26/a", read, "status 200", "status 422 with {}"), ...after }];
  const traffic = { exchanges: [list, read], broken: new Map([[list, [id.id]]]) };
  expect(causesOf(findings, traffic).map(brief)).toEqual([[id.id, 2, 0]]);
});

it("looks for a value only where its finding is left, once others are joined", () => {
  const [list, spent] = [exchange("listUsage", 200), exchange("getCreditsSpent", 200)];
  const missing = ["charge_outcome", "reason_code"].map((name, at) =>
    red(`USAG-0${at}/listUsage-200-data.items.each.${name}`, list, `data.items.0.${name}: string`, "nothing"),
  );
  const sum = red("ACCT-09/b", spent, "total_credits of category=call: 0 credits", "15");
  expect(causesOf([...missing, sum]).map(({ checks }) => checks)).toEqual([
    missing.map(({ id }) => id),
    ["ACCT-09/b"],
  ]);
});

it("says once that data is not an object, whichever of its fields or amounts are then missing", () => {
  const [usage, credits] = [exchange("listUsage", 200), exchange("getCredits", 200)];
  const findings = [
    red("USAG-30/listUsage-200-data.page", usage, "data.page: integer", "nothing"),
    red("USAG-31/listUsage-200-data.total", usage, "data.total: integer", "nothing"),
    red("HTTP-09/always", usage, "data: object", '"unexpected"'),
    red("ACCT-02/a", credits, "the remaining total among the amounts in data: 10", "{}"),
    red("ACCT-01/always", credits, "data: object", '"unexpected"'),
  ];
  const broken = new Map([
    [usage, findings.slice(0, 3).map(({ id }) => id)],
    [credits, ["ACCT-01/always"]],
  ]);
  expect(causesOf(findings, { exchanges: [], broken }).map(brief)).toEqual([
    ["USAG-30/listUsage-200-data.page", 3, 0],
    ["ACCT-01/always", 2, 0],
  ]);
});

it("takes a rule with a name of its own for a rule, and ends where two explain each other", () => {
  const at = exchange("getUsageEvent", 200);
  const named = { ...red("USUM-01/days-in-order", at, "item_id: in order", "[]"), rule: { field: null } };
  const other = { ...red("USUM-02/sums", at, "days of item_id", "[]"), rule: { field: null } };
  const field = red("USAG-01/getUsageEvent-200-data.item_id", at, "data.item_id: string", "days");
  const broken = new Map([[at, [named.id, other.id, field.id]]]);
  const causes = causesOf([named, other, field], { exchanges: [at], broken });
  expect(causes.flatMap(({ checks }) => checks).toSorted()).toEqual([field.id, named.id, other.id]);
});

it("keeps every finding, each as its own cause, where the causes cannot be made, and says so", () => {
  const at = exchange("call", 200);
  const failing = red("CALL-03/a", at, "success: boolean", '"true"');
  const waiting = blocked("BILL-01/a", at, "the call did not succeed");
  const error = finding("BILL-02/a", at, { verdict: "error", reason: "TypeError: x\n    at y (z.ts:1:1)" });
  const passing = finding("CALL-01/a", at, { verdict: "pass" });
  const slip = (): never => {
    throw new RangeError("Maximum call stack size exceeded");
  };
  const { causes, causes_note: note } = causesOrEach([failing, waiting, error, passing], undefined, slip);
  expect(note).toContain("internal error (RangeError: Maximum call stack size exceeded)");
  expect(causes.map(({ lead, checks, blocks }) => [lead, checks, blocks])).toEqual([
    ["CALL-03/a", ["CALL-03/a"], []],
    ["BILL-01/a", [], ["BILL-01/a"]],
    ["BILL-02/a", ["BILL-02/a"], []],
  ]);
  expect(causes[2]!.what).toBe("internal error of this program, not of the server: TypeError: x");
});
