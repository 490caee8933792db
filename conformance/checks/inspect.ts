import type { Check } from "../check.ts";

export const inspect: Check[] = [];
