import { areaTitles, clauses, type Clause, type ClauseArea } from "../../generated/clauses.ts";
import { clausePage } from "./clause-page.ts";
import { readExamples } from "./examples.ts";
import { prose } from "./markdown.ts";

const areas = Object.entries(areaTitles) as [ClauseArea, string][];

/** Every clause in force, of one area or of all. */
const clausesOf = (area?: ClauseArea): readonly Clause[] =>
  (clauses as readonly Clause[]).filter((clause) => area === undefined || clause.area === area);

/** The pages of all clauses, of each area and of the areas, by path in the site. */
export async function clausePages(): Promise<Map<string, string>> {
  const { clauses: examples } = await readExamples();
  return new Map([
    ["clauses/index.md", indexPage()],
    ...areas.map(([area, title]) => [`clauses/${area}.md`, areaPage(area, title)] as const),
    ...clausesOf().map((clause) => [`clauses/${clause.id}.md`, clausePage(clause, examples)] as const),
  ]);
}

/** The page of one clause in force. */
export async function pageOfClause(id: string): Promise<string> {
  const { clauses: examples } = await readExamples();
  return clausePage(
    clausesOf().find((clause) => clause.id === id)!,
    examples,
  );
}

function indexPage(): string {
  const lines = areas.map(([area, title]) => {
    const ids = clausesOf(area).map(({ id }) => id);
    return `| [${title}](./${area}.md) | ${ids[0]} to ${ids.at(-1)} | ${ids.length} |`;
  });
  const table = ["| Area | Clauses | Number |", "| --- | --- | ---: |", ...lines].join("\n");
  const said = `The ${clausesOf().length} obligations of the contract, each with the contract's words, an example that keeps it and one that breaks it, and its checks.`;
  return `# The clauses\n\n${said}\n\n${table}\n`;
}

function areaPage(area: ClauseArea, title: string): string {
  const lines = clausesOf(area).map(
    ({ id, level, text }) => `- [${id}](./${id}.md) ${level}: ${prose(text)}`,
  );
  return `# ${title}\n\n${lines.join("\n")}\n`;
}
