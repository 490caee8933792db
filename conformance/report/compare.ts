import { basename } from "node:path";
import { isRed, type Verdict } from "../judge/verdict.ts";
import { html } from "./html-markup.ts";
import { htmlPage } from "./html-page.ts";
import { style } from "./html-style.ts";
import type { Report } from "./report.ts";

/** A check or rule, as several reports judge it. */
interface Compared {
  id: string;
  title: string;
  /** Its verdict in each report; null where it is missing. */
  verdicts: readonly (Verdict | null)[];
  change: Change;
}

/** How a check changed between the first report and the last. */
export type Change = "red" | "green" | "unverified" | "verified" | "added" | "removed" | "other" | "none";

/** In display order. */
const headings: Readonly<Record<Exclude<Change, "none">, string>> = {
  red: "Turned red",
  removed: "Removed",
  unverified: "No longer verified",
  green: "Turned green",
  verified: "Verified now",
  added: "Added",
  other: "Changed otherwise",
};

/** The changes that make the exit status 1. */
const worse: readonly Change[] = ["red", "removed", "unverified"];

function changeOf(before: Verdict | null, after: Verdict | null): Change {
  if (before === after) return "none";
  if (before === null) return "added";
  if (after === null) return "removed";
  if (isRed(after)) return isRed(before) ? "other" : "red";
  if (after === "pass") return isRed(before) ? "green" : "verified";
  return before === "pass" ? "unverified" : "other";
}

/** Every check and rule of several reports, with its change from the first to the last. */
export function compareReports(reports: readonly Report[]): Compared[] {
  const titles = new Map(
    reports.flatMap(({ checks }) => checks.map(({ id, title }) => [id, title] as const)),
  );
  const verdicts = reports.map(({ checks }) => new Map(checks.map(({ id, verdict }) => [id, verdict])));
  return [...titles].map(([id, title]) => {
    const all = verdicts.map((one) => one.get(id) ?? null);
    return { id, title, verdicts: all, change: changeOf(all[0]!, all.at(-1)!) };
  });
}

/** Possible causes of a change: whatever is the same in both reports is ruled out. */
export function causeOf([before, after]: readonly [Report, Report]): string {
  const differs = (part: keyof Report["hashes"]): boolean => before.hashes[part] !== after.hashes[part];
  const suspects = [
    ...(differs("suite") || differs("contract") ? ["the suite"] : []),
    ...(differs("profile") ? ["the profile"] : []),
    "the server",
  ];
  return suspects.length === 1 ? suspects[0]! : `${suspects.slice(0, -1).join(", ")} or ${suspects.at(-1)}`;
}

/** Whether anything got worse from the first report to the last. */
export const gotWorse = (compared: readonly Compared[]): boolean =>
  compared.some(({ change }) => worse.includes(change));

const shown = (verdict: Verdict | null): string => verdict?.replace("_", " ") ?? "–";

/** The name of a report in a comparison. */
export const nameOf = ({ target, started_at }: Report, file: string): string =>
  `${basename(file)} (${target}, ${started_at.slice(0, 16).replace("T", " ")})`;

/** The comparison as lines of plain text or Markdown. */
export function comparisonText(
  reports: readonly Report[],
  names: readonly string[],
  compared: readonly Compared[],
  markdown: boolean,
): string {
  const lines = [markdown ? `# ${names.join(" → ")}` : names.join(" → "), ""];
  const cause = causeOf([reports[0]!, reports.at(-1)!]);
  for (const [change, heading] of Object.entries(headings)) {
    const rows = compared.filter((one) => one.change === change);
    if (rows.length === 0) continue;
    const by = change === "added" || change === "removed" ? "the suite" : cause;
    lines.push(`${markdown ? "## " : ""}${heading}: ${rows.length}, by ${by}`, "");
    for (const { id, title, verdicts } of rows) {
      const path = verdicts.map(shown).join(" → ");
      lines.push(markdown ? `- \`${id}\`: ${path}. ${title}` : `  ${id}  ${path}`);
    }
    lines.push("");
  }
  const same = compared.filter(({ change }) => change === "none").length;
  lines.push(`${same} of ${compared.length} as before.`);
  return lines.join("\n");
}

/** The comparison as a table with a column per report; omits what they agree on. */
export function comparisonHtml(names: readonly string[], compared: readonly Compared[]): string {
  const apart = compared.filter(({ verdicts }) => new Set(verdicts).size > 1);
  const body = html`<main>
    <h1>${names.length} reports compared</h1>
    <p>
      ${compared.length - apart.length} of ${compared.length} checks and rules come to the same verdict in
      all.
    </p>
    <table>
      <thead>
        <tr>
          <th>Check or rule</th>
          ${names.map((name) => html`<th>${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${apart.map(
          ({ id, title, verdicts }) =>
            html`<tr>
              <td><code>${id}</code><br />${title}</td>
              ${verdicts.map((verdict) => html`<td>${shown(verdict)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </main>`;
  return htmlPage({ title: "Reports compared", style, scripts: [], body });
}
