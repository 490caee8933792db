import { plain } from "../../cli/plain.ts";
import { changeClasses } from "./kinds.ts";
import type { Change, DriftReport } from "./change.ts";
import {
  counting,
  listsOf,
  listText,
  namedOperations,
  placeText,
  summaryOf,
  trafficText,
} from "./report-text.ts";

/** Maximum number of table rows, and of characters in all rows: a pull request's comment has a size limit. */
const maxRows = 100;
const maxCharacters = 40_000;

/** The report as Markdown, for a pull request comment. */
export function markdownReport(report: DriftReport): string {
  const lines = ["## Contract drift", "", text(summaryOf(report)), ""];
  let left = maxCharacters;
  for (const one of changeClasses) {
    const changes = counting(report, one);
    if (changes.length === 0) continue;
    const title = `${one[0]!.toUpperCase()}${one.slice(1)} (${changes.length})`;
    const rows: string[] = [];
    for (const change of changes.slice(0, maxRows)) {
      const cells = row(change, report.titles);
      if ((left -= cells.length) < 0) break;
      rows.push(cells);
    }
    const table = [
      "| Change | Operations | Where | Old | New | Why | At |",
      "| --- | --- | --- | --- | --- | --- | --- |",
      ...rows,
      ...(changes.length > rows.length ? ["", `and ${changes.length - rows.length} more`] : []),
    ];
    // Safe changes are collapsed: a reviewer looks at the others first.
    if (one === "safe")
      lines.push("<details>", `<summary>${title}</summary>`, "", ...table, "", "</details>", "");
    else lines.push(`### ${title}`, "", ...table, "");
  }
  for (const [title, list] of listsOf(report)) {
    const named = list.slice(0, maxRows).map(({ kind, rest }) => `- \`${kind}\`, ${text(rest)}`);
    lines.push(`### ${title[0]!.toUpperCase()}${title.slice(1)} (${list.length})`, "", ...named, "");
  }
  for (const note of report.notes) lines.push(`> ${text(note)}`, "");
  return `${lines.join("\n").trimEnd()}\n`;
}

const row = (change: Change, titles: DriftReport["titles"]): string => {
  const place = change.at ?? change.was_at;
  const cells = [
    `\`${change.kind}\`${change.since === undefined ? "" : ` (${change.since})`}`,
    text(listText(namedOperations(change.operations, titles))),
    text(
      [change.where, ...change.also.map(({ where }) => where)].slice(0, 5).join("; ") +
        (change.also.length > 4 ? ` and ${change.also.length - 4} more` : ""),
    ),
    text(change.old ?? ""),
    text(change.new ?? ""),
    text([change.why, trafficText(change)].filter(Boolean).join("; ")),
    text(place === null ? "" : placeText(place)),
  ];
  return `| ${cells.join(" | ")} |`;
};

/** Text escaped to one line of plain Markdown: it cannot start a table cell, tag, link or mention. */
export const text = (value: string): string =>
  plain(value)
    .replaceAll("\n", " ")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("@", "&#64;")
    .replace(/[\\`*_{}[\]|#~]/g, "\\$&");
