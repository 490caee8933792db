import type { Crossing } from "../judge/crossing.ts";
import { found } from "./found.ts";

/** Every rule that compares several exchanges of a server. */
export const crossingRules = await found<Crossing>("crossing", "crossings");

/** Every rule about the client's obligations. */
export const clientRules = await found<Crossing>("client", "clientRules");
