import { expect, test } from "vitest";
import { needNames } from "../../generated/contract.ts";
import { requireKnown } from "./found.ts";

const place = "conformance/suite/call/checks.ts";

test("a check or mutant of a clause that no version has is refused", () => {
  expect(() => requireKnown({ id: "CALL-999/a", clauses: ["CALL-07", "CALL-999"] }, place)).toThrow(
    new TypeError(`${place}: "CALL-999/a" cites CALL-999, a clause of no version`),
  );
  expect(() => requireKnown({ name: "charges twice", clause: "CALL-999" }, place)).toThrow("CALL-999");
});

test("a check with an unknown need is refused", () => {
  expect(() =>
    requireKnown({ id: "CALL-07/a", clauses: ["CALL-07"], needs: ["tool.chargd"] }, place),
  ).toThrow(new TypeError(`${place}: "CALL-07/a" needs tool.chargd; known needs: ${needNames.join(", ")}`));
});

test("known clauses, readings and needs are accepted", () => {
  for (const member of [
    { id: "CALL-07/a", clauses: ["CALL-07"], needs: ["tool.charged", "mailbox"] },
    { id: "R-001/a", clauses: ["R-001"] },
    "a plain value",
  ])
    expect(() => requireKnown(member, place)).not.toThrow();
});
