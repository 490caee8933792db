import { areaTitles } from "../../generated/clauses.ts";

/** The sidebar of every page: the entries by reader, further reading, and the clauses by area. */
export const sidebar = [
  {
    text: "Start here",
    items: [
      { text: "Implement the contract", page: "implementers" },
      { text: "Run in CI", page: "ci" },
      { text: "Load test", page: "load-testers" },
      { text: "Build a client", page: "clients" },
      { text: "Reconcile an account", page: "reconcile" },
    ],
  },
  {
    text: "Check",
    items: [
      { text: "A profile", page: "profile" },
      { text: "Roles of a profile", page: "roles" },
      { text: "A report", page: "report" },
      { text: "Run in production", page: "production" },
      { text: "Load scenarios", page: "load" },
      { text: "A history of the books", page: "history" },
      { text: "Traffic and clients", page: "traffic" },
      { text: "Recordings", page: "recordings" },
      { text: "Contract drift", page: "drift" },
      { text: "Kinds of change", page: "drift-kinds" },
      { text: "The proof of the suite", page: "proof" },
    ],
  },
  {
    text: "Serve",
    items: [
      { text: "The reference server", page: "server" },
      { text: "Several machines", page: "several-machines" },
      { text: "Scale", page: "scale" },
      { text: "In operation", page: "operation" },
      { text: "Security", page: "security" },
    ],
  },
  {
    text: "The contract",
    items: [
      { text: "As given", page: "contract" },
      { text: "Its clauses", page: "clauses/index" },
      { text: "Open questions", page: "readings" },
    ],
  },
  {
    text: "The clauses",
    items: Object.entries(areaTitles).map(([area, text]) => ({ text, page: `clauses/${area}` })),
  },
  {
    text: "The project",
    items: [
      { text: "Architecture", page: "architecture" },
      { text: "Internals", page: "internals/index" },
      { text: "Decisions", page: "decisions/index" },
      { text: "Contributing", page: "contributing" },
      { text: "Style", page: "style" },
      { text: "Changes", page: "changelog" },
    ],
  },
];

/** An entry of the search index: a place of the site, its heading, and its words. */
interface Entry {
  id: string;
  title: string;
  text: string;
}

/**
 * The entries of a page: one for each heading, without blocks of code. A clause is one entry, named by its id and its
 * text; a list of clauses has none, since each clause has one.
 */
export function indexed(page: string, text: string): Entry[] {
  const prose = text.replaceAll(/^(`{3,})[\s\S]*?^\1$/gm, "");
  const id = page.replace(/md$/, "html");
  const clause = /^# ([A-Z]+-\d+)\n\n\*\*\w+:\*\* (.*)$/m.exec(prose);
  if (clause !== null)
    return [{ id, title: `${clause[1]}: ${clause[2]}`, text: prose.slice(clause[0].length) }];
  if (page.startsWith("clauses/")) return [];
  const idOf = headingIds();
  return prose.split(/^(?=#{1,3} )/m).flatMap((part) => {
    const heading = /^#+ (.*)$/m.exec(part)?.[1];
    if (heading === undefined) return [];
    const anchor = idOf(heading);
    const place = part.startsWith("# ") ? id : `${id}#${anchor}`;
    return [{ id: place, title: heading, text: part.slice(part.indexOf("\n")) }];
  });
}

/** Names the headings of one page as GitHub does: equal ones are numbered from the second on. */
export function headingIds(): (heading: string) => string {
  const seen = new Map<string, number>();
  return (heading) => {
    const slug = slugOf(heading);
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  };
}

/** The id of a heading that is the only one of its kind on its page, as GitHub gives it. */
export const slugOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, "")
    .replaceAll(" ", "-");
