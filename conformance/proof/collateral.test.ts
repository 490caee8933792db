import { describe, expect, it } from "vitest";
import type { Exchange } from "../judge/exchange.ts";
import type { OperationId } from "../../generated/contract.ts";
import { hasMet } from "./collateral.ts";

const asked = (...operations: (OperationId | null)[]) => ({
  exchanges: operations.map((operation) => ({ operation }) as Exchange),
});

describe("a finding outside the clause that a mutant breaks", () => {
  it("has met it when it asked the operation, or any operation if the clause is about all", () => {
    expect(hasMet("ACCT-01", asked("getCredits"))).toBe(true);
    expect(hasMet("VERS-01", asked("probe"))).toBe(true);
  });

  it("has not met a read that it never asked for", () => {
    expect(hasMet("ACCT-01", asked("call", "listUsage"))).toBe(false);
  });

  it("has met what a Call did only in the account's reads", () => {
    expect(hasMet("CALL-15", asked("listLedger"))).toBe(true);
    expect(hasMet("CALL-15", asked("probe"))).toBe(false);
  });
});
