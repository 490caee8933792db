import type { Crossing } from "../crossing.ts";
import { remaining } from "./remaining.ts";
import { rowsAgree } from "./rows-agree.ts";

/** Every rule that holds exchanges of a server against one another. */
export const crossingRules: readonly Crossing[] = [...rowsAgree, ...remaining];
