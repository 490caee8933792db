import type { Observer } from "../judge/observer.ts";
import { found } from "./found.ts";

/** What sees which answers a server gives to the contract's open questions, area by area. */
export const observers = await found<Observer>("readings", "observers");
