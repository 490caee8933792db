import type { Check } from "../runner/check.ts";
import { found } from "./found.ts";

export const checks = await found<Check>("checks");
