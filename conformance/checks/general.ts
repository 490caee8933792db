import type { Check } from "../check.ts";

export const general: Check[] = [];
