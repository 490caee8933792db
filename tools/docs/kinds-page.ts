import { readFileSync } from "node:fs";
import { parse, stringify } from "yaml";
import { kinds, type Kind } from "../../conformance/drift/change.ts";
import type { JsonObject } from "../../base/data.ts";

/** A change of a small contract: the old and new text, and the findings in both directions. */
export interface CataloguePair {
  in: keyof typeof abouts;
  /** Absent for a header of one side only. */
  old?: JsonObject | undefined;
  new?: JsonObject | undefined;
  is: Kind[];
  back: Kind[];
}

const abouts = {
  request: "The schema of a request's body",
  answer: "The schema of a response body",
  parameter: "A parameter of a query",
  header: "A header of a response",
  operation: "An operation",
  document: "A document",
};

const file = "conformance/drift/catalogue.yaml";

/** The pairs of the catalogue. */
export const catalogue = parse(
  readFileSync(new URL(`../../${file}`, import.meta.url), "utf8"),
) as CataloguePair[];

/** The page of all kinds of change: class, reason, and an example with the reverse change. */
export function kindsPage(): string {
  const reversed = catalogue.map((pair) => ({
    ...pair,
    old: pair.new,
    new: pair.old,
    is: pair.back,
    back: pair.is,
  }));
  const sections = Object.entries(kinds).map(([kind, [changeClass, why]]) => {
    const pair = [...catalogue, ...reversed].find(({ is }) => is.some((name) => name === kind));
    return `### ${kind}\n\n**${changeClass}**: ${why}.\n${pair === undefined ? "" : example(pair)}`;
  });
  return [
    "# Kinds of change\n",
    `Written by \`npm run generate\` from \`conformance/drift/kinds.json\` and \`${file}\`. Do not edit.\n`,
    "A policy can give a kind another class, or ignore it for a while: see [drift.md](drift.md).\n",
    ...sections,
  ].join("\n");
}

function example(pair: CataloguePair): string {
  const yaml = (value: unknown): string => (value === undefined ? "# absent\n" : stringify(value));
  const back = pair.back.map((kind) => `[${kind}](#${kind})`).join(", ") || "nothing is reported";
  const said = `\n${abouts[pair.in]}, before and after; the other way: ${back}.\n`;
  return `${said}\n\`\`\`yaml\n${yaml(pair.old)}---\n${yaml(pair.new)}\`\`\`\n`;
}
