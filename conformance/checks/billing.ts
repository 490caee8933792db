import type { Check } from "../check.ts";

export const billing: Check[] = [];
