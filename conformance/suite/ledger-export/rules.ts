import { exportRules } from "../usage-export/rules.ts";

/** The CSV export of ledger entries. */
export const rules = exportRules("exportLedger", { type: "LEXP-01", rows: "LEXP-02", cells: "LEXP-06" });
