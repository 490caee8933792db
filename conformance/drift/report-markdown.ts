import { plain } from "../../cli/plain.ts";
import { countsOf, type Change, type DriftReport } from "./change.ts";
import { byClass, listsOf, operationsText, placeText, summaryOf, trafficText } from "./report-text.ts";

/** Maximum number of table rows, and of characters in all rows: a pull request's comment has a size limit. */
const maxRows = 100;
const maxCharacters = 40_000;

const capitalised = (word: string): string => word[0]!.toUpperCase() + word.slice(1);

/** The report as Markdown, for a pull request comment. */
export function markdownReport(report: DriftReport): string {
  const lines = ["## Contract drift", "", text(summaryOf(report)), ""];
  let left = maxCharacters;
  for (const [one, changes] of byClass(report)) {
    const rows = changes.slice(0, maxRows).map((change) => row(change, report));
    const fitting = rows.filter((cells) => (left -= cells.length) >= 0);
    const more = changes.length - fitting.length;
    const table = [
      "| Change | Operations | Where | Old | New | Why | At |",
      "| --- | --- | --- | --- | --- | --- | --- |",
      ...fitting,
      ...(more > 0 ? ["", `and ${more} more`] : []),
      "",
    ];
    const title = `${capitalised(one)} (${countsOf(changes)[one]})`;
    // Safe changes are collapsed: a reviewer looks at the others first.
    if (one === "safe")
      lines.push("<details>", `<summary>${title}</summary>`, "", ...table, "</details>", "");
    else lines.push(`### ${title}`, "", ...table);
  }
  for (const { title, list } of listsOf(report)) {
    const named = list.slice(0, maxRows).map(({ kind, rest }) => `- \`${kind}\`, ${text(rest)}`);
    lines.push(`### ${capitalised(title)} (${list.length})`, "", ...named, "");
  }
  for (const note of report.notes) lines.push(`> ${text(note)}`, "");
  return `${lines.join("\n").trimEnd()}\n`;
}

function row(change: Change, report: DriftReport): string {
  const { kind, where, also, why, since } = change;
  const place = change.at ?? change.was_at;
  const places = [where, ...also.map((one) => one.where)].slice(0, 5).join("; ");
  const cells = [
    operationsText(change, report),
    places + (also.length > 4 ? ` and ${also.length - 4} more` : ""),
    change.old ?? "",
    change.new ?? "",
    [why, trafficText(change)].filter(Boolean).join("; "),
    place === null ? "" : placeText(place),
  ];
  return `| \`${kind}\`${since === undefined ? "" : ` (${since})`} | ${cells.map(text).join(" | ")} |`;
}

/** Text escaped to one line of plain Markdown: it cannot start a table cell, tag, link or mention. */
export const text = (value: string): string =>
  plain(value)
    .replaceAll("\n", " ")
    .replace(/[\\`*_{}[\]|#~]/g, "\\$&")
    .replace(/[&<>@]/g, (character) => `&#${character.charCodeAt(0)};`);
