import { expect, it } from "vitest";
import { Answer } from "../../judge/answer.ts";
import type { Exchange } from "../../judge/exchange.ts";
import type { RunContext } from "../perform.ts";
import { signsOf, type Failure } from "./signs.ts";

/** The exchange of a read that shows rows, or of a Call. */
const exchange = (path: string, ids: readonly string[], method = "GET"): Exchange => ({
  operation: null,
  account: "trial of «key 1»",
  started_at: 0,
  duration_ms: 1,
  request: { method, url: `http://server.test${path}`, headers: {}, body: null },
  response: {
    status: 200,
    headers: {},
    body: JSON.stringify({ data: { items: ids.map((id) => ({ id })) } }),
  },
  error: null,
});
const page = (query: string, ...ids: string[]): Exchange => exchange(`/feed?page_size=2${query}`, ids);
const call = exchange("/call", [], "POST");

/** Whether pages show a row twice, as the sign of a failure sees it that is about rows. */
function isSeen(...steps: Exchange[]): boolean {
  const fact = { kind: "value", place: null, expected: { value: [] }, received: { value: ["a"] } };
  const failure = { finding: { fact, clauses: [] }, culprit: steps.at(-1)!, exchanges: steps };
  const context = { broken: new Map(), profile: {} } as unknown as RunContext;
  const sent = steps.map((step) => ({ step, answer: new Answer(200, {}, step.response!.body, step) }));
  const signs = signsOf(failure as unknown as Failure, context, true);
  const sign = signs.find(({ isIn }) => isIn.name === "repeatsRow")!;
  return sign.isIn({ answer: sent.at(-1)!.answer, sent, renewed: new Map() });
}

it("sees a feed repeat a row, whatever was added between its pages", () => {
  expect(isSeen(page("", "a", "b"), call, page("&cursor=2", "b", "c"))).toBe(true);
  expect(isSeen(page("", "a", "b"), call, page("&cursor=2", "c", "d"))).toBe(false);
});

it("sees numbered pages repeat a row only while nothing is added", () => {
  expect(isSeen(page("&page=1", "a", "b"), page("&page=2", "b", "c"))).toBe(true);
  expect(isSeen(page("&page=1", "a", "b"), call, page("&page=2", "b", "c"))).toBe(false);
});

it("sees one page repeat a row, and begins anew with each first page", () => {
  expect(isSeen(page("", "a", "a"))).toBe(true);
  expect(isSeen(page("", "a", "b"), page("", "a", "b"))).toBe(false);
  expect(isSeen(page("&page=1", "a", "b"), page("&page=1", "a", "b"))).toBe(false);
});
