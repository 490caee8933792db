import type { Observer } from "../judge/observer.ts";
import { found } from "./found.ts";

/** Observers of a server's answers to the contract's open questions, area by area. */
export const observers = await found<Observer>("readings", "observers");
