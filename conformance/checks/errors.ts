import type { Check } from "../check.ts";

export const errors: Check[] = [];
