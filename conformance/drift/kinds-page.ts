import { stringify, parse } from "yaml";
import { kinds, type Kind } from "./change.ts";
import { readFileSync } from "node:fs";
import type { JsonObject } from "./json.ts";

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

const abouts: Record<CataloguePair["in"], string> = {
  request: "The schema of a request's body",
  answer: "The schema of an answer's body",
  parameter: "A parameter of a query",
  header: "A header of an answer",
  operation: "An operation",
  document: "A document",
};

/** The page of all kinds of change: class, reason, and an example with the reverse change. */
export function kindsPage(): string {
  const catalogue = readCatalogue();
  const sections = (Object.keys(kinds) as Kind[]).map((kind) => {
    const [changeClass, why] = kinds[kind];
    const said = `### ${kind}\n\n**${changeClass}**: ${why}.\n`;
    const forward = catalogue.find(({ is }) => is.includes(kind));
    const backward = catalogue.find(({ back }) => back.includes(kind));
    if (forward) return said + example(forward, forward.old, forward.new, forward.back);
    if (backward) return said + example(backward, backward.new, backward.old, backward.is);
    return said;
  });
  return [
    "# Kinds of change\n",
    "Written by `npm run drift -- kinds --markdown docs/drift-kinds.md` from `conformance/drift/kinds.json` and",
    "`conformance/drift/catalogue.yaml`. Do not edit.\n",
    "A policy can give a kind another class, or ignore it for a while: see [drift.md](drift.md).\n",
    ...sections,
  ].join("\n");
}

function example({ in: about }: CataloguePair, old: unknown, now: unknown, back: readonly Kind[]): string {
  const yaml = (value: unknown): string => (value === undefined ? "# absent\n" : stringify(value));
  const reversed =
    back.length === 0 ? "nothing is reported" : back.map((kind) => `[${kind}](#${kind})`).join(", ");
  return [
    `\n${abouts[about]}, before and after; the other way: ${reversed}.\n`,
    "```yaml",
    `${yaml(old)}---\n${yaml(now)}\`\`\`\n`,
  ].join("\n");
}
