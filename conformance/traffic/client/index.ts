import type { Crossing } from "../crossing.ts";
import { audit } from "./audit.ts";
import { contract } from "./contract.ts";
import { replay } from "./replay.ts";
import { results } from "./results.ts";
import { session } from "./session.ts";

/** Every rule about the client's half of the contract. */
export const clientRules: readonly Crossing[] = [...session, ...contract, ...replay, ...results, ...audit];
