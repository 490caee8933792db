import { summaryRules } from "../summary.rules.ts";
import { usageSummary } from "./summary.ts";

export const rules = summaryRules(usageSummary);
