import type { Check } from "../check.ts";

export const usage: Check[] = [];
