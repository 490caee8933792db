import { summaryRules } from "../summary.rules.ts";
import { usageSummary } from "../../books/usage-summary.ts";

/** The summary of the usage list. */
export const rules = summaryRules(usageSummary);
