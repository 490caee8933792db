import { contractVersion } from "../../generated/contract.ts";
import { describe, expect, it } from "vitest";
import type { Exchange } from "../judge/exchange.ts";
import { operationOf } from "../judge/operations.ts";
import { unreachable } from "./unreachable.ts";
import { coverageOf, inWords, whyUnreachable } from "./coverage.ts";
import { documented, pointsOf } from "./documented.ts";

const exchange = (method: string, path: string, response: Exchange["response"]): Exchange => ({
  operation: operationOf(method, path),
  account: "account 1",
  started_at: 0,
  duration_ms: 1,
  request: { method, url: `http://localhost/api/v1${path}`, headers: {}, body: null },
  response,
  error: null,
});
const version = { "x-service-api-version": contractVersion };

describe("the points of the spec", () => {
  it("are all operations, with statuses, headers and values that the contract states", () => {
    const names = documented.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const point of [
      "discover 200 X-RateLimit-Remaining",
      "call 429 Retry-After",
      "probe 504",
      "reason_code oauth_signin_required",
      "entry_type consume_tool_search",
    ]) {
      expect(names).toContain(point);
    }
    expect(documented.filter(({ kind }) => kind === "value")).toHaveLength(4 + 14 + 5 + 7);
  });

  it("leave out what is marked open, on the answer, the header or the target of a reference", () => {
    const document = {
      paths: {
        "/search": {
          post: {
            operationId: "discover",
            responses: {
              200: {
                headers: { A: { $ref: "#/components/headers/A" }, B: { $ref: "#/components/headers/B" } },
              },
              401: { headers: { A: { "x-open": true } } },
              413: { "x-open": true, headers: { A: {} } },
              500: { $ref: "#/components/responses/Trouble" },
            },
          },
        },
      },
      components: {
        headers: { A: {}, B: { "x-open": true } },
        responses: { Trouble: { "x-open": true } },
        schemas: Object.fromEntries(
          ["ChargeOutcome", "ReasonCode", "EventType", "EntryType"].map((name) => [name, { enum: [] }]),
        ),
      },
    };
    expect(pointsOf(document).map(({ name }) => name)).toEqual([
      "discover 200",
      "discover 200 A",
      "discover 401",
    ]);
  });
});

describe("the coverage of a run", () => {
  it("counts what crossed the wire, headers in any case, and values where they are audited", () => {
    const { counts, unseen } = coverageOf([
      exchange("POST", "/search", { status: 200, headers: version, body: '{"charge_outcome":"charged"}' }),
      exchange("GET", "/auth/usage/history/v2", {
        status: 200,
        headers: {},
        body: '{"data":{"items":[{"charge_outcome" : "included","event_type":"search","note":"{\\"reason_code\\":\\"result.valid\\"}"}]}}',
      }),
      exchange("GET", "/nowhere", { status: 200, headers: version, body: "" }),
      exchange("POST", "/tools/execute", null),
    ]);
    expect(counts.status.observed).toBe(2);
    expect(counts.header.observed).toBe(1);
    expect(counts.value.observed).toBe(2);
    expect(unseen).not.toContain("charge_outcome included");
    expect(unseen).toEqual(expect.arrayContaining(["charge_outcome charged", "reason_code result.valid"]));
  });

  it("counts values whose letters are escaped", () => {
    const body = '{"data":{"items":[{"charge_outcome":"incl\\u0075ded"}]}}';
    const { unseen } = coverageOf([
      exchange("GET", "/auth/usage/history/v2", { status: 200, headers: {}, body }),
    ]);
    expect(unseen).not.toContain("charge_outcome included");
  });

  it("counts every point once: observed, unseen or out of reach", () => {
    const coverage = coverageOf([]);
    const sum = (name: "documented" | "unreachable"): number =>
      Object.values(coverage.counts).reduce((total, counts) => total + counts[name], 0);
    expect(sum("documented")).toBe(documented.length);
    expect(sum("unreachable")).toBe(coverage.unreachable.length);
    expect(coverage.unseen.length + coverage.unreachable.length).toBe(documented.length);
    expect(inWords(coverage)).toMatch(/^0 of \d+ statuses, 0 of \d+ headers, 0 of \d+ values of the spec$/);
  });

  it("counts a point out of reach as observed when it is observed", () => {
    expect(whyUnreachable("queryCapability 429 X-Service-Api-Version")).toContain("no quota");
    const before = coverageOf([]).counts;
    const { counts } = coverageOf([
      exchange("POST", "/capabilities/query", { status: 429, headers: version, body: "{}" }),
    ]);
    expect(counts.status).toMatchObject({ observed: 1, unreachable: before.status.unreachable - 1 });
    expect(counts.header).toMatchObject({ observed: 1, unreachable: before.header.unreachable - 1 });
  });
});

describe("points out of reach", () => {
  it("are documented, each line of them, with a reason", () => {
    const names = documented.map(({ name }) => name);
    for (const { points, reason } of unreachable) {
      expect(reason).toMatch(/^[A-Z].*\.$/);
      for (const point of points) {
        const pattern = new RegExp(`^${point.replaceAll("*", "\\S+")}( |$)`);
        // A shared description may lack a header that its siblings have.
        if (point.includes("X-RateLimit")) continue;
        expect(
          names.some((name) => pattern.test(name)),
          point,
        ).toBe(true);
      }
    }
  });

  it("never include the answer to a correct request", () => {
    for (const { name } of documented) {
      if (name.endsWith(" 200") || name.endsWith(" 401")) expect(whyUnreachable(name), name).toBeUndefined();
    }
  });
});
