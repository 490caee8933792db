import type { Check } from "../check.ts";

export const auth: Check[] = [];
