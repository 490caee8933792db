import { expect, it } from "vitest";
import { condition } from "../judge/fact.ts";
import { Secrets } from "../server/secrets.ts";
import { Anomalies } from "./anomalies.ts";

it("masks the key wherever a row repeats it", () => {
  const secrets = new Secrets();
  const key = "cc_live_0123456789abcdef";
  secrets.learn(key, "key");
  const anomalies = new Anomalies((text) => secrets.mask(text));
  anomalies.add({
    name: "charge-without-entry",
    clauses: ["BILL-11"],
    title: "a charge has no ledger entry",
    fact: condition(`an entry of ${key}`, `none, for ${key}`),
    event: { id: "event-1", tool_id: key, session_id: `of ${key}`, settled_amount_credits: 1 },
  });
  expect(JSON.stringify(anomalies.kept)).not.toContain(key);
  expect(anomalies.kept[0]).toMatchObject({
    tool_id: "«key 1»",
    expected: "an entry of «key 1»",
    settled_credits: 1,
  });
});
