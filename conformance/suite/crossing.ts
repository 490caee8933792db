import type { Crossing } from "../judge/crossing.ts";
import { found } from "./found.ts";

export const crossingRules = await found<Crossing>("crossing", "crossings");

export const clientRules = await found<Crossing>("client", "clientRules");
