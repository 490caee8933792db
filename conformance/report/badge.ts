import type { Report } from "./report.ts";
import { xml } from "../../base/escaped.ts";

/** A small SVG for a README: the number of verified clauses, red if any clause is broken. */
export function badge(report: Report): string {
  const broken = report.clauses.filter((clause) => clause.verdict === "fail").length;
  const kept = report.clauses.filter((clause) => clause.verdict === "pass").length;
  const doubtful = report.summary.error + report.summary.blocked > 0;
  const label = `contract ${report.contract_version}`;
  const message =
    broken > 0
      ? `${broken} ${broken === 1 ? "clause" : "clauses"} broken`
      : `${kept} of ${report.clauses.length} clauses kept${report.part === undefined ? "" : " (a part was judged)"}`;
  return badgeOf(label, message, broken > 0 ? "fail" : doubtful ? "doubt" : "pass");
}

const colours = { fail: "#b3261e", doubt: "#9a6700", pass: "#1a7f37" } as const;

/** A badge of two texts. */
export function badgeOf(label: string, message: string, state: keyof typeof colours): string {
  // About 6.6 px per character at 11 px Verdana, plus 10 px of padding on each side.
  const widthOf = (text: string): number => Math.round(text.length * 6.6) + 20;
  const [left, right] = [widthOf(label), widthOf(message)];
  const text = (words: string, middle: number): string => `<text x="${middle}" y="14">${xml(words)}</text>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${xml(`${label}: ${message}`)}">`,
    `<title>${xml(`${label}: ${message}`)}</title>`,
    `<clipPath id="r"><rect width="${left + right}" height="20" rx="3"/></clipPath>`,
    `<g clip-path="url(#r)"><rect width="${left}" height="20" fill="#444"/>`,
    `<rect x="${left}" width="${right}" height="20" fill="${colours[state]}"/></g>`,
    `<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">`,
    `${text(label, left / 2)}${text(message, left + right / 2)}</g></svg>\n`,
  ].join("");
}
