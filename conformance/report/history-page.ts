import type { Verdict } from "../judge/verdict.ts";
import { shown, unsteady, type Compared } from "./compare.ts";
import { counted } from "./html.ts";
import { html, type Markup } from "./html-markup.ts";
import { htmlPage } from "./html-page.ts";
import { style } from "./html-style.ts";
import { marks } from "./marks.ts";
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
  const body = html`<header>
      <p class="eyebrow">Conformance reports compared</p>
      <h1>${counted(reports.length, "run")}, ${counted(apart.length, "difference")}</h1>
      <p class="kept">
        <b>${same}</b> of ${compared.length} checks and rules come to the same verdict in all.
      </p>
    </header>
    <main>
      <section>
        <h2>Runs</h2>
        <ol>
          ${reports.map((report, index) => html`<li>${names[index]}: ${inNumbers(report)}</li>`)}
        </ol>
      </section>
      ${rowsOf(
        unsteady,
        apart.filter(({ isUnsteady }) => isUnsteady),
      )}
      ${rowsOf(
        "Other differences",
        apart.filter(({ isUnsteady }) => !isUnsteady),
      )}
    </main>`;
  return htmlPage({ title: "Reports compared", style, scripts: [], body });
}

const rowsOf = (heading: string, rows: readonly Compared[]): Markup | null =>
  rows.length === 0
    ? null
    : html`<section>
        <h2>${heading} <span class="count">${rows.length}</span></h2>
        <p class="lead">A cell is a run, in their order.</p>
        <div class="map">
          ${rows.map(
            ({ id, title, verdicts }) =>
              html`<div class="row">
                <h3 title="${id}">${id.split("/")[0]} ${title}</h3>
                <p>${verdicts.map(cell)}</p>
              </div> `,
          )}
        </div>
      </section>`;

function cell(verdict: Verdict | null, index: number): Markup {
  const label = `run ${index + 1}: ${shown(verdict)}`;
  return html`<span class="cell ${verdict ?? ""}" role="img" aria-label="${label}" title="${label}"
    >${verdict === null ? "" : marks[verdict].sign}</span
  >`;
}
