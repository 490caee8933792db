import { expect, it } from "vitest";
import type { Exchange } from "../../judge/exchange.ts";
import { scriptFrom } from "./shell.ts";
import { sideBySide, sparable, stepsTo, withSources } from "./steps.ts";
import { Secrets } from "../../server/secrets.ts";
import { finding } from "../perform.ts";
import type { RunContext } from "../perform.ts";

const base = "http://server.test/api/v1";
let clock = 0;

/** An exchange with a body of JSON, after the one before. */
function exchange(
  line: string,
  {
    sends,
    body = {},
    key = "«key 1»",
    at,
  }: { sends?: unknown; body?: unknown; key?: string | null; at?: number } = {},
): Exchange {
  const [method = "", path = ""] = line.split(" ");
  const operations = {
    "/tools/execute": "call",
    "/search": "discover",
    "/auth/credits": "getCredits",
  } as const;
  return {
    operation: operations[path as keyof typeof operations] ?? (path.includes("usage") ? "listUsage" : null),
    account: key === null ? null : `trial of ${key}`,
    started_at: at ?? (clock += 10),
    duration_ms: 5,
    request: {
      method,
      url: base + path,
      headers: { host: "server.test", ...(key !== null && { authorization: `Bearer ${key}` }) },
      body: sends === undefined ? null : JSON.stringify(sends),
    },
    response: { status: 200, headers: {}, body: JSON.stringify(body) },
    error: null,
  };
}
const called = (execution_id: string, more: { sends?: unknown; at?: number; key?: string } = {}): Exchange =>
  exchange("POST /tools/execute", { sends: { tool_id: "weather" }, body: { execution_id }, ...more });
const lines = (steps: readonly Exchange[]): string[] =>
  scriptFrom(
    steps,
    finding(
      { id: "CALL-01/x", clauses: ["CALL-01"], title: "x", run: () => Promise.resolve() },
      { verdict: "fail" },
    ),
    {
      client: { baseUrl: base },
      profile: { audit_lag: 2, credentials: { pool: [] } },
      secrets: new Secrets(),
    } as unknown as RunContext,
    true,
  ).shell.split("\n");

it("reads once what was read until a row came", () => {
  const [call, early, late] = [
    called("e-1"),
    exchange("GET /auth/credits"),
    exchange("GET /auth/credits", { body: { items: [1] } }),
  ];
  expect(stepsTo(late, [call, early, late])).toEqual([call, late]);
  const again = exchange("GET /auth/credits", { body: { items: [1] } });
  expect(stepsTo(again, [call, early, late, again])).toEqual([call, late, again]);
});

it("keeps the step that gives an id which a later one repeats, the newest of several", () => {
  const list = exchange("GET /auth/usage?page=1", { body: { data: { items: [{ execution_id: "e-2" }] } } });
  const steps = [called("e-1"), called("e-2"), list, exchange("GET /auth/usage?execution_id=e-2")];
  expect(withSources(new Set(steps.slice(3)), steps, base)).toEqual(steps.slice(2));
});

it("keeps no Discover for the Call that names its search, and one for a read that does", () => {
  const search = exchange("POST /search", { body: { search_id: "s-1" } });
  const call = called("e-1", { sends: { tool_id: "weather", search_id: "s-1" } });
  const read = exchange("GET /auth/usage?search_id=s-1");
  expect(withSources(new Set([call]), [search, call], base)).toEqual([call]);
  expect(withSources(new Set([call, read]), [search, call, read], base)).toEqual([search, call, read]);
});

it("spares other Calls only where a row that the last request names is wrong", () => {
  const steps = [
    called("e-1"),
    called("e-2"),
    exchange("GET /auth/usage?execution_id=e-2&event_type=tool_execute"),
  ];
  expect(sparable(steps, "other rows", "data.items.0.success", base)).toEqual(steps.slice(0, 2));
  expect(sparable(steps, "other rows", null, base)).toEqual([]);
  expect(sparable(steps, "reads", "data.items.0.success", base)).toEqual([]);
  expect(sparable(steps, "anything", null, base)).toEqual(steps.slice(0, 2));
});

it("spares what is free, but where the usage of everything is read", () => {
  const search = exchange("POST /search");
  const ofCredits = [search, exchange("GET /auth/credits")];
  expect(sparable(ofCredits, "reads", null, base)).toEqual([search]);
  expect(sparable([search, exchange("GET /auth/usage?page=1")], "reads", null, base)).toEqual([]);
});

it("sends together what was under way at the same time", () => {
  const calls = [called("e-1", { at: 100 }), called("e-2", { at: 103 }), called("e-3", { at: 109 })];
  expect(sideBySide(calls)).toEqual([calls.slice(0, 2), calls.slice(2)]);
  const script = lines(calls).slice(-3);
  expect(script[0]).toMatch(/^curl -sZ --parallel-immediate -o \/dev\/null -X POST .* \\$/);
  expect(script[1]).toMatch(/^ {2}--next -X POST .*; echo$/);
  expect(script[2]).toMatch(/^curl -si -X POST/);
});

it("takes keys and ids from the responses, and waits for the audit", () => {
  const trial = exchange("POST /agent/anonymous-register", {
    body: { data: { api_key: "«key 1»" } },
    key: null,
  });
  const list = exchange("GET /auth/usage?page=1", {
    body: { data: { items: [{ id: "01-a" }, { id: "01-b" }] } },
  });
  const script = lines([trial, called("e-1"), list, exchange("GET /auth/usage/01-b")]);
  expect(script).toContain('API_KEY_1=$(value "$RESPONSE" api_key 1)');
  expect(script).toContain("sleep 2 # the audit may be this late");
  expect(script.at(-2)).toMatch(/^(ID_\d)=\$\(value "\$RESPONSE" id 2\)$/);
  expect(script.at(-1)).toMatch(
    /^curl -si "\$BASE\/auth\/usage\/\$\{ID_\d\}" -H "authorization: Bearer \$\{API_KEY_1\}"$/,
  );
});

it("takes a cursor for no number of rows", () => {
  const first = exchange("GET /auth/usage?page_size=2", { body: { data: { next_cursor: "2" } } });
  const [line] = lines([first, exchange("GET /auth/usage?page_size=2&cursor=2")]).slice(-1);
  expect(line).toMatch(/page_size=2&cursor=\$\{NEXT_CURSOR_\d\}/);
});

it("asks for a key that no step registers", () => {
  const script = lines([exchange("GET /auth/credits")]);
  expect(script).toContain(': "${KEY_1:?set it to a key of trial of «key 1»}"');
});

it("quotes what a shell would read otherwise", () => {
  const [path, body] = ["/auth/usage?query=%24HOME`$(id)", { query: "it's $HOME" }];
  const script = lines([exchange(`GET ${path}`), exchange("POST /search", { sends: body })]);
  expect(script.at(-2)).toContain('"$BASE/auth/usage?query=%24HOME\\`\\$(id)"');
  expect(script.at(-1)).toContain(`--data-raw '{"query":"it'\\''s $HOME"}'`);
});

it("takes no member whose name is more than a name", () => {
  const hostile = { "$(id)_id": "01-a", "(_id": "01-b" };
  const list = exchange("GET /auth/usage?page=1", { body: hostile });
  const script = lines([list, exchange("GET /auth/usage/01-a"), exchange("GET /auth/usage/01-b")]).join("\n");
  expect(script).not.toContain("$(id)");
});
