import type { Check } from "../check.ts";

export const call: Check[] = [];
