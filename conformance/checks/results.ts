import type { Check } from "../check.ts";

export const results: Check[] = [];
