import type { Check } from "../check.ts";

/** Every check of the suite, area by area. */
export const checks: readonly Check[] = [];
