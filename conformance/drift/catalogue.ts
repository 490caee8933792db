import { readFileSync } from "node:fs";
import { parse } from "yaml";
import type { JsonObject } from "./json.ts";
import type { Kind } from "./kinds.ts";

/** A change of a small contract: the old and new text, and the findings in both directions. */
export interface CataloguePair {
  in: "request" | "answer" | "parameter" | "header" | "operation" | "document";
  old: JsonObject;
  /** Absent for a removed header. */
  new?: JsonObject;
  is: Kind[];
  back: Kind[];
}

/** The pairs of catalogue.yaml. */
export const readCatalogue = (): CataloguePair[] =>
  parse(readFileSync(new URL("catalogue.yaml", import.meta.url), "utf8")) as CataloguePair[];
