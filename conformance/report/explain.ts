import { areaOf } from "../judge/area.ts";
import { readFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import { extname } from "node:path";
import { clauses } from "../../generated/clauses.ts";
import { WrongUse } from "../../base/exit.ts";
import { verb } from "../../base/verb.ts";
import { calling } from "./explained.ts";
import { paintFor, type Paint } from "../../base/paint.ts";

export default verb({
  flags: {},
  takes: {
    clause:
      "the id of a clause, such as CALL-07, or of a check of it; an area, such as CALL, lists its clauses; or a scenario of certify, such as lost",
  },
  about: `Prints the page of a clause: its text and the contract's words, an exchange that keeps it and one that breaks
it, what to fix, and its checks and rules with their source. Of a scenario it says what happens, and what
a right client does. Needs no network.`,
  async run({ clause }) {
    const id = clause.toUpperCase().split("/")[0]!;
    const ofArea = clauses.filter((clause) => areaOf(clause.id) === id);
    if (ofArea.length > 0) {
      for (const { id: name, level, text } of ofArea) console.log(`${name} ${level}: ${text}`);
      return;
    }
    if (!clauses.some((clause) => clause.id === id)) {
      const scenario = /^[a-z]{4}-\d+$/i.test(id) ? null : await scenarioPage(clause.split("@")[0]!);
      if (scenario !== null) return console.log(forTerminal(scenario, paintFor(process.stdout)));
      const areas = [...new Set(clauses.map((clause) => areaOf(clause.id)))].join(", ");
      throw new WrongUse(
        `There is no clause ${clause}; an id is an area and a number, such as CALL-07; areas: ${areas}; scenarios of certify have words, such as lost or audit-empty.`,
      );
    }
    console.log(forTerminal(await pageOf(id), paintFor(process.stdout)));
  },
});

/** The page of a scenario of `certify`, for client developers; null for an unknown name. */
async function scenarioPage(name: string): Promise<string | null> {
  const address = new URL(`../certify/scenarios${extname(import.meta.filename)}`, import.meta.url).href;
  const { kinds } = (await import(address)) as {
    kinds: readonly {
      name: string;
      title: string;
      clauses: readonly string[];
      page: Record<"happens" | "right" | "wrong", string>;
    }[];
  };
  const kind = kinds.find((kind) => kind.name === name);
  if (kind === undefined) return null;
  const { title, page, clauses: ids } = kind;
  return [
    `# ${name}: ${title}`,
    `**What happens.** ${page.happens}`,
    `**A right client.** ${page.right}`,
    `**A wrong client.** ${page.wrong}`,
    ...(ids.length === 0 ? [] : [`**Clauses.** ${ids.join(", ")}`]),
    `**Try it.** ${calling("certify")} --only ${name} -- COMMAND`,
  ].join("\n\n");
}

/** The page that the package contains; in a clone it is made from the sources. */
async function pageOf(id: string): Promise<string> {
  if (!import.meta.filename.endsWith(".ts")) {
    const pages = gunzipSync(await readFile(new URL("../../docs/clauses.json.gz", import.meta.url)));
    return (JSON.parse(pages.toString("utf8")) as Record<string, string>)[`clauses/${id}.md`]!;
  }
  const { pageOfClause } = (await import(
    new URL("../../tools/docs/clause-pages.ts", import.meta.url).href
  )) as { pageOfClause: (id: string) => Promise<string> };
  return pageOfClause(id);
}

/** Markdown for a terminal: headings in bold, no escapes and no fences, code indented. */
export function forTerminal(markdown: string, paint: Paint): string {
  const parts = markdown.trimEnd().split(/^````(?:.*)$\n?/m);
  return parts.map((part, index) => (index % 2 === 1 ? indented(part) : unmarked(part, paint))).join("");
}

const indented = (text: string): string => text.replaceAll(/^(?=.)/gm, "    ");

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", "#64": "@" };

const unmarked = (text: string, paint: Paint): string =>
  text
    .replaceAll(/^#+ (.*)$/gm, (_, heading: string) => paint("bold", heading))
    .replaceAll(/\*\*(.+?)\*\*/g, (_, words: string) => paint("bold", words))
    .replaceAll(/\[([^\]]+)\]\(\.[^)]*\)/g, "$1")
    .replaceAll(/\\([\\`*_{}[\]|#~])/g, "$1")
    .replaceAll(/&(amp|lt|gt|#64);/g, (_, name: string) => entities[name]!);
