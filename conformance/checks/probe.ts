import type { Check } from "../check.ts";

export const probe: Check[] = [];
