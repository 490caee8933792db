import type { Crossing } from "../judge/crossing.ts";
import { found } from "./found.ts";

/** Every rule that holds exchanges of a server against one another. */
export const crossingRules = await found<Crossing>("crossing", "crossings");

/** Every rule about the client's half of the contract. */
export const clientRules = await found<Crossing>("client", "clientRules");
