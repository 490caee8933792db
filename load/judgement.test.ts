import { expect, it } from "vitest";
import { cutTo, type Exchange } from "../conformance/judge/exchange.ts";
import { condition, type Fact } from "../conformance/judge/fact.ts";
import { Secrets } from "../conformance/server/secrets.ts";
import { contractVersion } from "../generated/contract.ts";
import { Judgement } from "./judgement.ts";

it("judges the whole of an answer, though the client then keeps only its beginning", () => {
  const data = { items: [], total: 0, page: 1, page_size: 50, summary: null, padding: "x".repeat(500) };
  const exchange: Exchange = {
    operation: "listLedger",
    account: null,
    started_at: 0,
    duration_ms: 1,
    request: { method: "GET", url: "http://127.0.0.1/api/v1/auth/credits/ledger", headers: {}, body: null },
    response: {
      status: 200,
      headers: { "content-type": "application/json", "x-service-api-version": contractVersion },
      body: JSON.stringify({ status: "success", message: "ok", status_code: 0, data }),
    },
    error: null,
  };
  const judgement = new Judgement(new Secrets());
  judgement.judge({ exchange });
  cutTo(100, exchange);
  expect(judgement.findings).toEqual([]);
  expect(judgement.judged).toBe(1);

  judgement.judge({ exchange });
  expect(judgement.findings).not.toEqual([]);
});

it("drops a rule of single answers where a finding says the same, before or after it", () => {
  const judgement = new Judgement(new Secrets());
  const found = { clauses: ["LIMI-21"], title: "", fact: condition("", "") } as const;
  judgement.find({ ...found, name: "LIMI-21/always" });
  judgement.find({ ...found, name: "headers-never-shown", insteadOf: "LIMI-21" });
  judgement.find({ ...found, name: "LIMI-21/always" });
  expect(judgement.findings.map(({ name }) => name)).toEqual(["headers-never-shown"]);
});

it("keeps of a fact neither a secret nor a long value", () => {
  const secrets = new Secrets();
  const key = "cc_live_0123456789abcdef";
  secrets.learn(key, "key");
  const judgement = new Judgement(secrets);
  const about = { clauses: ["CALL-03"], title: "" } as const;
  const body = (padding: string): Partial<Fact> => ({ received: { value: { key, padding } } });
  judgement.find({ ...about, name: "short", fact: condition("a body", "", body("")) });
  judgement.find({ ...about, name: "long", fact: condition("a body", "", body("x".repeat(50_000))) });
  const text = JSON.stringify(judgement.findings);
  expect(text).toContain("«key 1»");
  expect(text).not.toContain(key);
  expect(text.length).toBeLessThan(5_000);
});
