import { check } from "../../run/check.ts";
import type { Expect } from "../../judge/expect.ts";
import { contractVersion } from "../../../generated/contract.ts";
import { usable } from "../../server/account.ts";
import type { Answer } from "../../judge/answer.ts";
import { Blocked } from "../../judge/verdict.ts";

const expectVersion = (expect: Expect, answer: Answer): void =>
  expect(answer.header("X-Service-Api-Version")).toBe(contractVersion);

/** The answer; null when there is none, since a server may close the connection over an oversized body. */
const answerTo = (asked: Promise<Answer>): Promise<Answer | null> =>
  asked.catch((error: unknown) => {
    if (error instanceof Blocked) return null;
    throw error;
  });

export const checks = [
  check(
    "VERS-05",
    "an answer to a body that is not JSON carries the version",
    async ({ account, stranger, expect }) => {
      expectVersion(expect, usable(await account.discover({ query: "data", limit: 1 })));
      expectVersion(expect, await account.ask("discover", { body: '{"query": ' }));
      expectVersion(expect, await account.ask("call", { body: "parameters" }));
      expectVersion(expect, await stranger.ask("startClaim", { body: "{" }));
    },
  ),

  check(
    "VERS-06",
    "an answer to an unknown path or a wrong method carries the version",
    async ({ account, stranger, expect }) => {
      expectVersion(expect, usable(await account.discover({ query: "data", limit: 1 })));
      for (const path of ["/no-such-path", "/tools/no-such-path", "/auth/no-such-path"]) {
        expectVersion(expect, await account.raw("GET", path));
        expectVersion(expect, await stranger.raw("POST", path, { body: {} }));
      }
      expectVersion(expect, await account.raw("GET", "/search"));
      expectVersion(expect, await account.raw("DELETE", "/tools/execute"));
      expectVersion(expect, await account.raw("PUT", "/auth/credits", { body: {} }));
    },
  ),

  check(
    "VERS-06",
    "an answer to a request of unusual form carries the version",
    async ({ account, stranger, expect }) => {
      expectVersion(expect, usable(await account.discover({ query: "data", limit: 1 })));
      const body = { query: "data", limit: 1 };
      expectVersion(expect, await stranger.raw("OPTIONS", "/search"));
      expectVersion(expect, await account.raw("HEAD", "/auth/credits"));
      expectVersion(expect, await account.raw("POST", "/search/", { body }));
      expectVersion(expect, await account.raw("GET", "/capabilities/%E0%A4%A"));
      const coded = { body, headers: { "content-encoding": "x-unknown" } };
      expectVersion(expect, await account.ask("discover", coded));
      const large = await answerTo(
        account.ask("discover", { body: { ...body, more: "x".repeat(3_000_000) } }),
      );
      if (large !== null) expectVersion(expect, large);
    },
  ),
];
