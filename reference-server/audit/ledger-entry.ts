import type { components } from "../../generated/api.ts";
import { credits } from "../billing/money.ts";
import type { LedgerRow } from "../records.ts";
import type { Read } from "./rows.ts";
import { timestamp } from "./window.ts";

type Schemas = components["schemas"];

export type LedgerEntryBody = Schemas["LedgerEntry"];

/** A ledger entry in the contract's form (Resources, Ledger entry). */
export const ledgerEntryBody = (row: Read<LedgerRow>): LedgerEntryBody => ({
  id: row.id,
  entry_type: row.entry_type,
  amount_credits: credits(row.amount),
  source_system: row.source_system,
  source_ref_type: row.source_ref_type,
  source_ref_id: row.source_ref_id,
  execution_id: row.execution_id,
  pre_settlement_bill: row.pre_settlement_bill as Schemas["PreSettlementBill"],
  settlement_result: row.settlement_result as Schemas["SettlementResult"],
  balance_before: { total_available_credits: credits(row.balance_before) },
  balance_after: { total_available_credits: credits(row.balance_after) },
  ledger_metadata: row.ledger_metadata,
  description: row.description,
  created_at: timestamp(row.created_at),
});

/** The columns of the ledger export in order: the fields of an entry. */
export const ledgerColumns = [
  "id",
  "created_at",
  "entry_type",
  "amount_credits",
  "balance_before",
  "balance_after",
  "source_system",
  "source_ref_type",
  "source_ref_id",
  "execution_id",
  "pre_settlement_bill",
  "settlement_result",
  "ledger_metadata",
  "description",
] as const satisfies readonly (keyof LedgerEntryBody)[];
