import { areaTitles } from "../../generated/clauses.ts";

/** The side of every page: the ways in by reader, what they read on, and the clauses by area. */
export const sidebar = [
  {
    text: "Start here",
    items: [
      { text: "You implement it", link: "/implementers" },
      { text: "You judge it in CI", link: "/ci" },
      { text: "You load it", link: "/load-testers" },
      { text: "You develop a client", link: "/clients" },
    ],
  },
  {
    text: "Judge",
    items: [
      { text: "A profile", link: "/profile" },
      { text: "A report", link: "/report" },
      { text: "In production", link: "/production" },
      { text: "Under load", link: "/load" },
      { text: "Traffic and clients", link: "/traffic" },
      { text: "Contract drift", link: "/drift" },
      { text: "Kinds of change", link: "/drift-kinds" },
      { text: "The proof of the suite", link: "/proof" },
    ],
  },
  {
    text: "Serve",
    items: [
      { text: "The reference server", link: "/server" },
      { text: "Several machines", link: "/several-machines" },
      { text: "Security", link: "/security" },
    ],
  },
  {
    text: "The contract",
    items: [
      { text: "As given", link: "/contract" },
      { text: "Its clauses", link: "/clauses/" },
      { text: "Open questions", link: "/readings" },
    ],
  },
  {
    text: "The clauses",
    collapsed: true,
    items: Object.entries(areaTitles).map(([area, text]) => ({ text, link: `/clauses/${area}` })),
  },
  {
    text: "The project",
    items: [
      { text: "Architecture", link: "/architecture" },
      { text: "Contributing", link: "/contributing" },
      { text: "Changes", link: "/changelog" },
    ],
  },
];

/**
 * What the search index holds of a page: all but its blocks of code. A clause is one entry, which is named by its id and
 * its text, and not one for each heading.
 */
export function searched(page: string): string {
  const prose = page.replaceAll(/^(`{3,})[\s\S]*?^\1$/gm, "");
  const clause = /^# ([A-Z]+-\d+)\n\n\*\*\w+:\*\* (.*)$/m.exec(prose);
  if (clause === null) return prose;
  const [lead, id, text] = clause;
  return `# ${id}: ${text}\n\n${prose.slice(lead.length).replaceAll(/^## .*$/gm, "")}`;
}

/** The id of a heading, as GitHub gives it. */
export const slugOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, "")
    .replaceAll(" ", "-");
