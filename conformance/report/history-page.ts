import type { Verdict } from "../judge/verdict.ts";
import { comparedLine, isWorse, shown, unsteady, type Compared } from "./compare.ts";
import { counted } from "./html.ts";
import { html, type Markup } from "./html-markup.ts";
import { marks } from "./marks.ts";
import { reportPage, type PageSection } from "./report-page.ts";
import type { Report } from "./report.ts";
import { inNumbers } from "./tally.ts";

/** Several reports as one page: the runs with their counts, then a row of verdicts for each check that they differ on. */
export function historyPage(
  reports: readonly Report[],
  names: readonly string[],
  compared: readonly Compared[],
): string {
  const apart = compared.filter(({ verdicts }) => new Set(verdicts).size > 1);
  const same = compared.length - apart.length;
  const last = reports.at(-1)!;
  const [worse] = apart.filter(({ change }) => isWorse(change));
  return reportPage({
    kind: "Comparison of conformance reports",
    verdict: `${counted(reports.length, "run")}, ${counted(apart.length, "difference")}`,
    target: names.join(" → "),
    judged: [
      html`<b>${same}</b> of ${compared.length} checks and rules come to the same verdict in all runs.`,
      html`From the first run to the last: ${comparedLine(reports, compared)}`,
    ],
    first: worse && { what: `${worse.id}: ${worse.verdicts.map(shown).join(" → ")}`, section: "clauses" },
    run: last,
    facts: { Contract: last.contract_version, Suite: last.suite_version },
    sections: [
      {
        id: "runs",
        title: "Runs",
        body: html`<ol>
          ${reports.map((report, index) => html`<li>${names[index]}: ${inNumbers(report)}</li>`)}
        </ol>`,
      },
      byClause(reports, apart),
      rowsOf(
        "flaky",
        "Flaky checks",
        apart.filter(({ isUnsteady }) => isUnsteady),
      ),
      rowsOf(
        "others",
        "Other differences, by check",
        apart.filter(({ isUnsteady }) => !isUnsteady),
      ),
    ],
  });
}

/** The history of each clause that some check of it tells apart: a row of its verdicts in all runs. */
function byClause(reports: readonly Report[], apart: readonly Compared[]): PageSection | null {
  const ids = [...new Set(apart.map(({ id }) => id.split("/")[0]!))].sort();
  if (ids.length === 0) return null;
  const verdicts = reports.map(({ clauses }) => new Map(clauses.map((clause) => [clause.id, clause])));
  return {
    id: "clauses",
    title: "History by clause",
    count: ids.length,
    lead: "A cell is a run, in their order.",
    body: html`<div class="map">
      ${ids.map((id) => {
        const text =
          verdicts.map((verdict) => verdict.get(id)?.text).find((words) => words !== undefined) ?? "";
        return html`<div class="row">
          <h3>${id} ${text.replaceAll("`", "")}</h3>
          <p>${verdicts.map((verdict, index) => cell(verdict.get(id)?.verdict ?? null, index))}</p>
        </div> `;
      })}
    </div>`,
  };
}

const rowsOf = (id: string, title: string, rows: readonly Compared[]): PageSection | null =>
  rows.length === 0
    ? null
    : {
        id,
        title,
        count: rows.length,
        lead: `${id === "flaky" ? `${unsteady}. ` : ""}A cell is a run, in their order.`,
        body: html`<div class="map">
          ${rows.map(
            ({ id, title, verdicts }) =>
              html`<div class="row">
                <h3 title="${id}">${id.split("/")[0]} ${title}</h3>
                <p>${verdicts.map(cell)}</p>
              </div> `,
          )}
        </div>`,
      };

function cell(verdict: Verdict | null, index: number): Markup {
  const label = `run ${index + 1}: ${shown(verdict)}`;
  return html`<span class="cell ${verdict ?? ""}" role="img" aria-label="${label}" title="${label}"
    >${verdict === null ? "" : marks[verdict].sign}</span
  >`;
}
