import type { Check } from "../check.ts";

export const account: Check[] = [];
