import type { Check } from "../run/check.ts";
import { found } from "./found.ts";

/** Every check of the suite, area by area. */
export const checks = await found<Check>("checks");
