import { readFileSync } from "node:fs";
import { parseYaml } from "../../../base/yaml/file.ts";
import type { Kind } from "../../../conformance/limits/kind.ts";

/** A limiter that people run, and its verdict by the contract's words. */
export interface Row {
  /** Its name and form, for people. */
  limiter: string;
  /** A program of programs.ts, or a name in limiters.js; started with its options. */
  start: string;
  options?: Readonly<Record<string, unknown>>;
  /** The truth by the contract's words. */
  truth: string;
  /** The findings that show it: all that fail, and no others. */
  fails: readonly string[];
  /** Findings of which it has at least one, depending on the phase of its windows. */
  oneOf?: readonly string[];
  /** Further findings that are true of it, and that a run need not show. */
  sometimes?: readonly string[];
  /** The recommendations that it does not follow: all of them. */
  warns?: readonly string[];
  /** The kinds it may be recognised as; absent: any. A slow machine may always make it `unknown`. */
  kinds?: readonly Kind[];
}

/** The limiters under test, from table.yaml. */
export const rows: readonly Row[] = (
  parseYaml("table.yaml", readFileSync(new URL("table.yaml", import.meta.url), "utf8"))
    .value as Partial<Row>[]
).map((row) => ({ fails: [], ...row }) as Row);
