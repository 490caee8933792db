import { expect, test } from "vitest";
import { contractVersion } from "../../../generated/contract.ts";
import { clauses } from "../../../generated/clauses.ts";
import { clausesOf, clausesPage, type ContractClause } from "./clauses.ts";

const clause = (id: string, text: string, more: Partial<ContractClause> = {}): ContractClause => ({
  id,
  level: "must",
  text,
  party: "server",
  operations: [],
  rest: {},
  place: { file: "clauses.yaml", line: 1 },
  ...more,
});
const should = { level: "should" } as const;

test("the page sorts what changed by what it asks of an implementer", () => {
  const old = [
    clause("A-01", "A is kept."),
    clause("A-02", "B is logged.", should),
    clause("A-03", "C is logged."),
    clause("A-04", "D is a `string`."),
    clause("A-05", "E is sent."),
    clause("A-06", "Call's quota is 200 requests a minute."),
    clause("A-07", "A client retries.", { party: "client", ...should }),
  ];
  const now = [
    clause("A-01", "A is kept.", { rest: { quote: "A stays." } }),
    clause("A-02", "B is logged."),
    clause("A-03", "C is logged.", should),
    clause("A-04", "D is a *short* `string_of_words`."),
    clause("A-06", "Call's quota is 120 requests a minute."),
    clause("A-07", "A client retries.", { party: "client" }),
    clause("A-08", "F is <b>sent</b>."),
  ];
  expect(clausesPage(["1", old], ["2", now]).split("\n").filter(Boolean)).toEqual([
    "# From contract 1 to 2",
    "## New (1)",
    "The contract did not ask for these before.",
    "- **A-08** must: F is &#60;b&#62;sent&#60;/b&#62;.",
    "## Stricter (2)",
    "These were recommendations and are obligations now.",
    "- **A-02** must: B is logged.",
    "  - before: should: B is logged.",
    "- **A-07** must, of the client: A client retries.",
    "  - before: should, of the client: A client retries.",
    "## Other numbers (1)",
    "Only a number in their words changed.",
    "- **A-06** must: Call's quota is 120 requests a minute.",
    "  - before: must: Call's quota is 200 requests a minute.",
    "## Reworded (1)",
    "Whether these ask for the same is for a person to decide.",
    "- **A-04** must: D is a \\*short\\* `string_of_words`.",
    "  - before: must: D is a `string`.",
    "## Looser (1)",
    "These were obligations and are recommendations now.",
    "- **A-03** should: C is logged.",
    "  - before: must: C is logged.",
    "## Void (1)",
    "The contract no longer asks for these.",
    "- **A-05** must: E is sent.",
  ]);
});

test("the page of two equal versions says that nothing changed", () => {
  expect(clausesPage(["1", []], ["1", []])).toContain("No clause changed.");
});

test("a side is a released version, or a source with clauses next to it", async () => {
  const ids = clauses.map(({ id }) => id).toSorted();
  // What was numbered since the release is not in it.
  const released = clauses.filter((clause) => !("since" in clause)).map(({ id }) => id);
  expect((await clausesOf(contractVersion)).map(({ id }) => id).toSorted()).toEqual(released.toSorted());
  expect((await clausesOf(".")).map(({ id }) => id).toSorted()).toEqual(ids);
  await expect(clausesOf("2020-01-01.1")).rejects.toThrow(
    `is not a released version either; those are ${contractVersion}`,
  );
  await expect(clausesOf("spec/openapi/root.yaml")).rejects.toThrow("has no spec/clauses next to it");
});
