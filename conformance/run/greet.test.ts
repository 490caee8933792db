import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { Client } from "../server/client.ts";
import { defaultProfile } from "../server/profile.ts";
import { Secrets } from "../server/secrets.ts";
import { Session } from "../server/session.ts";
import { adviceOn, adviceOnRedirect } from "./advice.ts";
import { greet } from "./greet.ts";

let server: http.Server;
let client: Client;

afterEach(() => {
  client.close();
  server.close();
});

/** Greets a server that gives every request the same answer. */
async function greeted(
  status: number,
  headers: Record<string, string>,
  body = '{"status":"failure","message":"no"}',
  account?: string,
): Promise<number> {
  let asked = 0;
  server = http.createServer((_, response) => {
    asked += 1;
    response.writeHead(status, headers).end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
  const secrets = new Secrets();
  client = new Client(baseUrl, secrets);
  const profile = defaultProfile(baseUrl);
  profile.credentials.account = account;
  await greet(profile, new Session(client, secrets));
  return asked;
}

it("does not wait for a server that refuses everything with 429", async () => {
  await expect(greeted(429, { "retry-after": "60" })).rejects.toThrow(
    /refuses every request with 429 \(Retry-After: 60\)/,
  );
});

it("says where a server that is still empty begins", async () => {
  await expect(greeted(404, {}, "Cannot POST /api/v1/search")).rejects.toThrow(
    "(POST /search gave 404); a server that is not written yet begins with this operation",
  );
});

it.each([
  [502, "bad gateway", "gave 502), as a gateway without a server; is the server started?"],
  [
    403,
    "<!DOCTYPE html>",
    "gave 403, with an HTML page); something in front of the server may have answered",
  ],
  [
    403,
    '{"error":"forbidden"}',
    "gave 403); if it knows no trials, give it a key: credentials: {account: KEY}",
  ],
  [407, "", "gave 407); the proxy of the network asks for a login"],
  [302, "", "gave 302); a redirect without Location leads nowhere"],
])("says who answered with a %i", async (status, body, message) => {
  await expect(greeted(status, {}, body)).rejects.toThrow(message);
});

it("does not blame the server for a proxy of the environment", () => {
  const url = "https://api.example.com/api/v1";
  const env = { HTTPS_PROXY: "http://proxy.example:3128" };
  const proxied = "that is the proxy of HTTPS_PROXY: fix it, or bypass it with NO_PROXY=api.example.com";
  expect(adviceOn("connect ECONNREFUSED 10.0.0.9:3128", url, env)).toBe(proxied);
  expect(adviceOn("getaddrinfo ENOTFOUND proxy.example", url, env)).toBe(proxied);
  expect(adviceOn("Failed to establish tunnel to api.example.com:443 via …: 403", url, env)).toBe(proxied);
  expect(adviceOn("connect ECONNREFUSED 10.0.0.1:443", url, env)).toBe("is the server started?");
  expect(adviceOn("connect ECONNREFUSED 10.0.0.9:3128", url, {})).toBe("is the server started?");
});

it("says of a redirect to itself, whatever it adds to the query, that it leads nowhere", () => {
  const url = "https://api.example.com/api/v1";
  expect(adviceOnRedirect(url, "/api/v1/search?again=1")).toMatch(/^it leads to itself/);
});

it("says where a redirect leads", async () => {
  await expect(greeted(301, { location: "https://api.example.com/api/v1/search" })).rejects.toThrow(
    "answered 301 to https://api.example.com/api/v1/search: give https://api.example.com/api/v1 as base_url",
  );
});

it("says why an answer cannot be judged", async () => {
  await expect(greeted(200, {}, "[".repeat(20_000) + "]".repeat(20_000))).rejects.toThrow(
    /gives no answer that can be judged: the body is nested deeper than 200 levels$/,
  );
});

it("quotes the server without text that would steer a terminal or CI", async () => {
  const message = "no\n::error::\u001b[31mwrong";
  const refusal = greeted(401, {}, JSON.stringify({ status: "failure", message }), "sk-a-key-of-the-profile");
  await expect(refusal).rejects.toThrow(
    "refuses the key of credentials.account (401: no \\u003a:error::\\u001b[31mwrong); give one that is valid",
  );
});

it("accepts an answer of this kind", async () => {
  expect(await greeted(400, {})).toBe(1);
});
