import { once } from "node:events";
import type { AddressInfo } from "node:net";
import express, { type Request, type Response } from "express";
import { expect, it } from "vitest";
import { contractVersion } from "../../generated/contract.ts";
import { createContract, requestError } from "./contract.ts";
import { Invalid } from "./errors.ts";
import { expressPath, publishedOperations, readSpec } from "./published-operations.ts";

const spec = readSpec();
const contract = createContract(spec);
const operation = (id: string) => publishedOperations(spec).find((each) => each.id === id)!;

it("gives every body one content type, and a request without a body none: the library's cache is keyed by it", () => {
  const [normalize] = contract.watchAnswers(operation("call"));
  const typeOf = (method: string, type: string) => {
    const headers: Record<string, string> = { "content-type": type };
    void normalize!({ method, headers } as unknown as Request, {} as Response, () => {});
    return headers["content-type"];
  };
  expect(typeOf("POST", "application/json; x=1")).toBe("application/json");
  expect(typeOf("POST", "text/anything")).toBe("application/json");
  expect(typeOf("GET", "application/json; x=2")).toBe(undefined);
});

it("finds every operation of the spec", () => {
  const ids = publishedOperations(spec).map(({ id }) => id);
  expect(new Set(ids).size).toBe(21);
});

it("takes a list apart in every request, not only in the first", async () => {
  const listed = operation("listLedger");
  const tags = { name: "tags", in: "query", style: "form", explode: false } as const;
  const schema = { type: "array", items: { type: "string" } };
  const parameters = [...listed.parameters, { ...tags, schema }];
  const withTags = { ...listed, parameters, spec: { ...listed.spec, parameters } };
  const app = express();
  app.set("query parser", "simple");
  app.get(
    expressPath(listed.path),
    ...contract.watchAnswers(withTags),
    ...contract.checkRequest(withTags),
    (request, response) => void response.end(JSON.stringify(request.query)),
  );
  const listener = app.listen(0, "127.0.0.1");
  try {
    await once(listener, "listening");
    const { port } = listener.address() as AddressInfo;
    for (let time = 0; time < 2; time += 1) {
      const answer = await fetch(`http://127.0.0.1:${port}${expressPath(listed.path)}?tags=a,b&page=2`);
      expect(await answer.json()).toMatchObject({ tags: ["a", "b"], page: 2, page_size: 50 });
    }
  } finally {
    listener.close();
  }
});

it("names missing members, and makes a Probe without a tool a 400", () => {
  const missing = Object.assign(new Error("bad"), {
    status: 400,
    errors: [
      {
        path: "/query/tool_id",
        message: "must have required property",
        errorCode: "required.openapi.validation",
      },
    ],
  });
  expect(requestError(missing, operation("probe"))).toMatchObject({ status: 400 });
  const elsewhere = requestError(missing, operation("call"));
  expect(elsewhere).toBeInstanceOf(Invalid);
  expect((elsewhere as Invalid).issues).toEqual([
    { loc: ["query", "tool_id"], msg: "tool_id is required", type: "missing" },
  ]);
});

it("says in words what a pattern requires", () => {
  for (const name of ["respond_with", "model", "code", "capability_id"]) {
    const errors = [{ path: `/body/${name}`, message: "must match pattern", errorCode: "pattern.openapi" }];
    const refusal = requestError(Object.assign(new Error("bad"), { status: 400, errors }), operation("call"));
    const [issue] = (refusal as Invalid).issues;
    expect(issue).toMatchObject({ loc: ["body", name], type: "pattern" });
    expect(issue!.msg).toMatch(new RegExp(`^${name} must (be|have) `));
  }
});

it("says the alternatives of one field in one issue", () => {
  const path = "/body/max_response_size";
  const faults = Object.assign(new Error("bad"), {
    status: 400,
    errors: [
      { path, message: "must be equal to constant", errorCode: "const.openapi.validation" },
      { path, message: "must be >= 1", errorCode: "minimum.openapi.validation" },
      { path, message: "must match a schema in anyOf", errorCode: "anyOf.openapi.validation" },
    ],
  });
  expect((requestError(faults, operation("call")) as Invalid).issues).toEqual([
    {
      loc: ["body", "max_response_size"],
      msg: "max_response_size must be equal to constant or must be >= 1",
      type: "anyOf",
    },
  ]);
});

it("judges the parts that the library does not: headers, content types, and bodies from 500 on", () => {
  const headers = {
    "x-service-api-version": contractVersion,
    "content-type": "application/json; charset=utf-8",
  };
  const judge = (status: number, changed: Record<string, string | undefined>, body?: unknown) => {
    const sent = Object.entries({ ...headers, ...changed }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    return contract.judge(operation("probe"), { status, headers: Object.fromEntries(sent), body });
  };
  const failure = { status: "failure", message: "no" };
  expect(judge(500, {}, failure)).toBe(null);
  expect(judge(500, {}, { message: "no" })).toContain("status");
  expect(judge(500, { "x-service-api-version": undefined }, failure)).toContain("is missing");
  expect(judge(500, { "content-type": "text/html" }, failure)).toContain("text/html");
  expect(judge(429, { "x-ratelimit-limit": "many", "retry-after": "1" }, failure)).toContain(
    "X-RateLimit-Limit",
  );
  expect(judge(429, {}, failure)).toContain("Retry-After is missing");
});
