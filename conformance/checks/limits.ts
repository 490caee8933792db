import type { Check } from "../check.ts";

export const limits: Check[] = [];
