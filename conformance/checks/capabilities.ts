import type { Check } from "../check.ts";

export const capabilities: Check[] = [];
