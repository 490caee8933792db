import { errors } from "./errors.ts";
import { general } from "./general.ts";
import { limits } from "./limits.ts";
import type { Rule } from "./rule.ts";
import { secrets } from "./secrets.ts";

/** Every rule of the suite, area by area. */
export const rules: readonly Rule[] = [...general, ...errors, ...limits, ...secrets];
