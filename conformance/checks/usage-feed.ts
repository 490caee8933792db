import type { Check } from "../check.ts";

export const usageFeed: Check[] = [];
