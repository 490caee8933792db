import { describe, expect, it } from "vitest";
import type { Exchange } from "../judge/exchange.ts";
import type { OperationId } from "../../generated/contract.ts";
import { hasMet } from "./collateral.ts";

const asked = (...operations: (OperationId | null)[]) => ({
  exchanges: operations.map((operation) => ({ operation }) as Exchange),
});

describe("what turns red beside the clause that a mutant breaks", () => {
  it("has met it when it asked the operation, or anything at all where the clause is about every one", () => {
    expect(hasMet("ACCT-01", asked("getCredits"))).toBe(true);
    expect(hasMet("VERS-01", asked("probe"))).toBe(true);
  });

  it("has not met a read that it never asked for", () => {
    expect(hasMet("ACCT-01", asked("call", "listUsage"))).toBe(false);
  });

  it("has met in the account's reads what a Call did, and nowhere else", () => {
    expect(hasMet("CALL-15", asked("listLedger"))).toBe(true);
    expect(hasMet("CALL-15", asked("probe"))).toBe(false);
  });
});
