import { operations, type Parameter } from "../../../generated/contract.ts";
import { check } from "../../run/check.ts";
import { expectSelections } from "../../server/selection.ts";

/** Every word that the spec lists for a ledger filter, whether or not the account has such entries. */
const queries = Object.entries(operations.listLedger.query as Record<string, Parameter>).flatMap(
  ([name, { enum: listed, values }]) =>
    ["entry_type", "scope", "direction"].includes(name)
      ? ((listed ?? values ?? []) as readonly string[]).map((word) => ({ [name]: word }))
      : [],
);

export const checks = [
  check(
    ["LEDG-30", "LEDG-32", "LEDG-33", "LEDG-34"],
    "every value of a ledger filter selects exactly its entries",
    (stage) => expectSelections(stage, { list: "listLedger" }, queries),
  ),
];
