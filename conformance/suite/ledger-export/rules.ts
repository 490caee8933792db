import { exportRules } from "../usage-export/rules.ts";

export const rules = exportRules("exportLedger", { type: "LEXP-01", rows: "LEXP-02", cells: "LEXP-06" });
