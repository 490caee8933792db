import type { Check } from "../check.ts";

export const trial: Check[] = [];
