import type { Check } from "../check.ts";

export const versioning: Check[] = [];
